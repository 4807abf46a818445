import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { forgetRates } from '../../../src/engine/flow/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { useEngine } from '../../support/engine.ts';
import { type FlowScene, openFlowScene } from './flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
let project: FlowScene;

beforeEach(async () => {
  await test.db.prisma.flowRate.deleteMany();
  const rate = { limit: 2, perMs: 2_000, key: 'k' };
  project = await openFlowScene(test, [
    { name: 'r', rateLimit: rate },
    { name: 't', throttle: rate },
  ]);
});

const known = async (): Promise<string[]> => {
  const rows = await test.db.prisma.flowRate.findMany({ orderBy: [{ arrivalUs: 'asc' }, { policy: 'asc' }] });
  return rows.map(({ policy, key }) => `${policy}${key}`);
};
const forget = (limit?: number) => forgetRates(test.engine, limit);

describe('rates', () => {
  it('are deleted once they delay no start, and no sooner', async () => {
    await project.outcomes('r', [{ k: 'a' }, { k: 'a' }, { k: 'b' }]);
    await project.outcomes('t', [{ k: 'a' }, { k: 'a' }]);
    expect(await known()).toEqual(['rateLimit=b', 'rateLimit=a', 'throttle=a']);
    clock.advance(999);
    expect(await forget()).toEqual({ forgotten: 0, full: false });
    clock.advance(1);
    expect(await forget()).toEqual({ forgotten: 1, full: false });
    expect(await known()).toEqual(['rateLimit=a', 'throttle=a']);
    expect(await project.outcomes('r', [{ k: 'a' }, { k: 'a' }])).toEqual(['run', 'dropped']);
  });

  it('are deleted in bounded pages, the oldest first', async () => {
    await project.outcomes('r', [{ k: 1 }, { k: 2 }, { k: 2 }, { k: 3 }, { k: 3 }]);
    clock.advance(60_000);
    expect(await forget(1)).toEqual({ forgotten: 1, full: true });
    expect(await known()).toEqual(['rateLimit=2', 'rateLimit=3']);
    expect(await forget(3)).toEqual({ forgotten: 2, full: false });
  });

  it('are skipped while a transaction has locked them', async () => {
    await project.outcomes('r', [{ k: 1 }, { k: 2 }]);
    clock.advance(60_000);
    await test.db.transaction(async (tx) => {
      await tx.query("select from flow_rate where key = '=1' for update");
      expect(await forget()).toEqual({ forgotten: 1, full: false });
    });
    expect(await known()).toEqual(['rateLimit=1']);
  });

  it('are deleted by the scheduler, which drops and delays no start', async () => {
    await project.outcomes('r', [{ k: 1 }, { k: 1 }]);
    await project.outcomes('t', [{ k: 1 }, { k: 1 }]);
    clock.advance(60_000);
    expect(await new Scheduler(test.engine).forget()).toEqual({ again: false });
    expect(await known()).toEqual([]);
    expect(await project.outcomes('r', [{ k: 1 }, { k: 1 }, { k: 1 }])).toEqual(['run', 'run', 'dropped']);
    expect(await project.outcomes('t', [{ k: 1 }])).toEqual(['run']);
    expect((await project.runs({ workflow: 't' })).at(-1)?.startAt).toBeNull();
  });

  it('are created again by a start that arrives during their deletion', async () => {
    await project.outcomes('r', [{ k: 1 }, { k: 1 }]);
    clock.advance(2_000);
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => project.send('r', { k: 1 }))),
      forget(),
      forget(),
    ]);
    expect(answers.filter((each) => each.runId !== undefined)).toHaveLength(2);
    expect(await known()).toEqual(['rateLimit=1']);
  });
});
