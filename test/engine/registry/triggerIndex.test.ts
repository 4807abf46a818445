import { describe, expect, it } from 'vitest';
import { parseRegistration } from '../../../src/engine/registry/index.ts';
import { TriggerIndex } from '../../../src/engine/registry/triggerIndex.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';

/** Which of these workflows an event of that name starts. */
function startedBy(name: string, workflows: object[]): string[] {
  const { definitions } = parseRegistration({ app: 'shop', workflows }, defaultEngineSettings.limits);
  const index = new TriggerIndex(definitions, () => undefined);
  const event = { id: '1', name, data: {}, ts: '2026-01-01T00:00:00.000Z', tags: undefined, session: undefined };
  const started = index.match(event, undefined).map((each) => each.name);
  expect([...new Set(index.listeners(name))].map((each) => each.name).sort()).toEqual([...started].sort());
  return started;
}

describe('a workflow without triggers', () => {
  it('is started by events of its own name only, also where that ends in a star', () => {
    const workflows = [{ name: '*' }, { name: 'order*' }, { name: 'order' }];
    expect(startedBy('order*', workflows)).toEqual(['order*']);
    expect(startedBy('order', workflows)).toEqual(['order']);
    expect(startedBy('*', workflows)).toEqual(['*']);
    expect(startedBy('order.placed', workflows)).toEqual([]);
  });
});

describe('a trigger that is declared', () => {
  it('takes a star at its end for any rest, and for none', () => {
    const workflows = [{ name: 'w', triggers: [{ event: 'order*' }] }];
    for (const name of ['order', 'order.placed', 'order*']) expect(startedBy(name, workflows)).toEqual(['w']);
    expect(startedBy('other', workflows)).toEqual([]);
  });

  it('leaves a workflow of schedules alone to none', () => {
    expect(startedBy('w', [{ name: 'w', triggers: [{ cron: '0 0 * * *' }] }])).toEqual([]);
  });
});
