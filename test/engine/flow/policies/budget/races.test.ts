import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { onFailPoint } from '../../../../../src/engine/db/failPoints.ts';
import { runDoctor } from '../../../../../src/engine/doctor/index.ts';
import { lockRuns } from '../../../../../src/engine/work/sql/lockRuns.ts';
import { pauseRuns } from '../../../../../src/engine/work/sql/pauseRuns.ts';
import { useEngine } from '../../../../support/engine.ts';
import { somebodyWaits } from '../../../../support/lockWaits.ts';
import { meet } from '../../../../support/meeting.ts';
import { openScene, spend } from './scene.ts';

const clock = new ManualClock();

const service = useEngine({ clock });
afterEach(async () => {
  onFailPoint(undefined);
  expect((await runDoctor(service.engine)).checks.flatMap((each) => each.violations)).toEqual([]);
});

const windowMs = 60_000;

/** A run that its budget has paused, and may let go now. */
async function spared() {
  const scene = await openScene(service, { budget: { maxTokens: 100, windowMs } }, { clock });
  await scene.after(spend(100));
  const runId = await scene.start(spend(1));
  await scene.check();
  expect(await scene.state(runId)).toEqual(['paused', 'budget']);
  await scene.pass(windowMs);
  return { scene, runId };
}

describe('a person who pauses a run that the budget is about to let go', () => {
  test('comes first: it stays paused, by that person', async () => {
    const { scene, runId } = await spared();
    const { projectId } = scene;
    const checked = await service.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      await pauseRuns(tx, { projectId, runIds: [runId], reason: 'manual', actor: 'a person', now: clock.sql() });
      const check = scene.check();
      await somebodyWaits(service.db);
      return { check };
    });
    expect(await checked.check).toMatchObject({ resumed: 0 });
    expect(await scene.state(runId)).toEqual(['paused', 'manual']);
  });

  test('comes second: it is let go, and paused', async () => {
    const { scene, runId } = await spared();
    let paused: Promise<unknown> | undefined;
    onFailPoint(async (point) => {
      if (point !== 'resumeRuns:after') return;
      onFailPoint(undefined);
      paused = scene.pause(runId);
      await somebodyWaits(service.db);
    });
    expect(await scene.check()).toMatchObject({ resumed: 1 });
    await paused;
    expect(await scene.state(runId)).toEqual(['paused', 'manual']);
    await scene.check();
    expect(await scene.state(runId)).toEqual(['paused', 'manual']);
  });
});

describe('several schedulers', () => {
  test('while one looks, the others leave it to that one', async () => {
    const { scene } = await spared();
    let other: Promise<unknown> | undefined;
    onFailPoint(async (point) => {
      if (point !== 'markBudgets:before') return;
      onFailPoint(undefined);
      other = scene.check();
      expect(await other).toMatchObject({ hasAny: true, paused: 0, resumed: 0 });
    });
    expect(await scene.check()).toMatchObject({ resumed: 1 });
    expect(other).toBeDefined();
  });

  test('that look in turn warn once', async () => {
    const budget = { maxTokens: 100, windowMs, warnAtPct: 50 };
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(60));
    const flying = await scene.start(spend(1), { sleepMs: 600_000 });
    await scene.dispatcher.claim();
    await Promise.all([scene.check(), scene.check(), scene.check()]);
    await scene.check();
    expect(await scene.frames(flying, 'log')).toHaveLength(1);
  });

  test('a warning whose look dies is given by the next, once', async () => {
    const budget = { maxTokens: 100, windowMs, warnAtPct: 50 };
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(60));
    const flying = await scene.start(spend(1), { sleepMs: 600_000 });
    await scene.dispatcher.claim();
    onFailPoint((point) => {
      if (point === 'insertWarnings:after') throw new Error('dead');
    });
    await expect(scene.check()).rejects.toThrow('dead');
    onFailPoint(undefined);
    await scene.check();
    expect(await scene.frames(flying, 'log')).toHaveLength(1);
  });
});

describe('a budget that is taken away while it holds a run', () => {
  const budget = { maxTokens: 100, windowMs };

  /** Spent, and known to be; with nobody that it holds. */
  async function exhausted() {
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(100));
    await scene.check();
    return scene;
  }

  /**
   * The policy goes, and a look finds nobody held, while the run is about to be; the next look lets
   * it go.
   */
  async function takenAway(scene: Awaited<ReturnType<typeof openScene>>, hold: () => Promise<unknown>): Promise<void> {
    const second = async (): Promise<void> => {
      await scene.register({});
      await scene.check();
    };
    await meet(service.db, { at: 'pauseRuns:after', first: hold, second });
  }

  test('lets go what begins paused at that moment', async () => {
    const scene = await exhausted();
    await takenAway(scene, () => scene.start(spend(1)));
    await scene.check();
    const [, late] = await service.db.prisma.run.findMany({
      where: { projectId: scene.projectId },
      orderBy: { id: 'asc' },
    });
    expect(await scene.state(late?.id ?? '')).toEqual(['queued', null]);
    expect(await scene.check()).toMatchObject({ hasAny: true });
    expect(await service.db.prisma.flowBudget.count({ where: { projectId: scene.projectId } })).toBe(0);
  });

  test('lets go what another process pauses at that moment', async () => {
    const scene = await exhausted();
    const held = await scene.start(spend(1));
    await scene.resume(held);
    expect(await scene.state(held)).toEqual(['queued', null]);
    await takenAway(scene, () => scene.check());
    await scene.check();
    expect(await scene.state(held)).toEqual(['queued', null]);
  });
});
