import { describe, expect, it } from 'vitest';
import { StoredGuard } from '../../../src/engine/cel/index.ts';
import { parseRegistration } from '../../../src/engine/registry/index.ts';
import { TriggerIndex } from '../../../src/engine/registry/triggerIndex.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { completed } from '../../support/completed.ts';

/** The workflows with a trigger for events of that name. */
function startedBy(name: string, workflows: object[]): string[] {
  const { definitions } = completed(parseRegistration({ app: 'shop', workflows }, defaultEngineSettings.limits));
  const index = new TriggerIndex(definitions, (source) => new StoredGuard(source, defaultEngineSettings.limits));
  return [...index.listeners(name)].map(({ definition }) => definition.name);
}

describe('a workflow without triggers', () => {
  it('is started only by events of its exact name, even if that ends in a star', () => {
    const workflows = [{ name: '*' }, { name: 'order*' }, { name: 'order' }];
    expect(startedBy('order*', workflows)).toEqual(['order*']);
    expect(startedBy('order', workflows)).toEqual(['order']);
    expect(startedBy('*', workflows)).toEqual(['*']);
    expect(startedBy('order.placed', workflows)).toEqual([]);
  });
});

describe('a trigger that is declared', () => {
  it('matches any or no text with a star at its end', () => {
    const workflows = [{ name: 'w', triggers: [{ event: 'order*' }] }];
    for (const name of ['order', 'order.placed', 'order*']) expect(startedBy(name, workflows)).toEqual(['w']);
    expect(startedBy('other', workflows)).toEqual([]);
  });

  it('is never matched for a workflow that has only schedules', () => {
    expect(startedBy('w', [{ name: 'w', triggers: [{ cron: '0 0 * * *' }] }])).toEqual([]);
  });
});
