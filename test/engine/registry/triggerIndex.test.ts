import { describe, expect, it } from 'vitest';
import { parseRegistration } from '../../../src/engine/registry/index.ts';
import { type CompileGuard, TriggerIndex } from '../../../src/engine/registry/triggerIndex.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';

/** The workflows that an event of that name starts. */
async function startedBy(
  name: string,
  workflows: object[],
  compile: CompileGuard = () => undefined,
): Promise<string[]> {
  const { definitions } = parseRegistration({ app: 'shop', workflows }, defaultEngineSettings.limits);
  const index = new TriggerIndex(definitions, compile);
  const event = { id: '1', name, data: {}, ts: '2026-01-01T00:00:00.000Z', tags: undefined, session: undefined };
  const started = (await index.match(event, undefined)).map((each) => each.name);
  expect([...new Set(index.listeners(name))].map((each) => each.name).sort()).toEqual([...started].sort());
  return started;
}

describe('a workflow without triggers', () => {
  it('is started only by events of its exact name, even if that ends in a star', async () => {
    const workflows = [{ name: '*' }, { name: 'order*' }, { name: 'order' }];
    expect(await startedBy('order*', workflows)).toEqual(['order*']);
    expect(await startedBy('order', workflows)).toEqual(['order']);
    expect(await startedBy('*', workflows)).toEqual(['*']);
    expect(await startedBy('order.placed', workflows)).toEqual([]);
  });
});

describe('a trigger that is declared', () => {
  it('matches any or no text with a star at its end', async () => {
    const workflows = [{ name: 'w', triggers: [{ event: 'order*' }] }];
    for (const name of ['order', 'order.placed', 'order*']) expect(await startedBy(name, workflows)).toEqual(['w']);
    expect(await startedBy('other', workflows)).toEqual([]);
  });

  it('is never matched for a workflow that has only schedules', async () => {
    expect(await startedBy('w', [{ name: 'w', triggers: [{ cron: '0 0 * * *' }] }])).toEqual([]);
  });
});

it('other work runs while many guards of one event are evaluated', async () => {
  const workflows = Array.from({ length: 12 }, (_, n) => ({ name: `w${n}`, triggers: [{ event: 'e', if: 'true' }] }));
  let evaluated = 0;
  const evaluate = (): boolean => {
    for (const until = performance.now() + 5; performance.now() < until; );
    evaluated += 1;
    return true;
  };
  const seen: number[] = [];
  const look = (): void => {
    seen.push(evaluated);
    if (evaluated < workflows.length) setImmediate(look);
  };
  setImmediate(look);
  const guard = { source: 'true', evaluate, equality: () => undefined };
  expect(await startedBy('e', workflows, () => guard)).toHaveLength(12);
  expect(seen.filter((count) => count > 0 && count < 12).length).toBeGreaterThanOrEqual(2);
});
