import { expect, it } from 'vitest';
import { appNames, eventNames } from './eventNames.ts';

it('names for which workflows listen are suggested first, then those of recent events, each once', () => {
  const data = {
    events: { nodes: [{ name: 'order.shipped' }, { name: 'order.paid' }, { name: 'order.shipped' }] },
    workflowPage: {
      nodes: [
        { app: 'shop', name: 'ship', triggers: [{ event: 'order.paid' }, { event: null }] },
        { app: 'shop', name: 'bill', triggers: null },
      ],
    },
  };
  expect(eventNames(data)).toEqual(['bill', 'order.paid', 'order.shipped']);
  expect(appNames(data)).toEqual(['shop']);
});
