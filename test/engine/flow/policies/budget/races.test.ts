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

/** A run that its budget paused, and may now resume. */
async function spared() {
  const scene = await openScene(service, { budget: { maxTokens: 100, windowMs } }, { clock });
  await scene.after(spend(100));
  const runId = await scene.start(spend(1));
  await scene.check();
  expect(await scene.state(runId)).toEqual(['paused', 'budget']);
  await scene.pass(windowMs);
  return { scene, runId };
}

describe('a pause by a person of a run that the budget is about to resume', () => {
  test('leaves the run paused by that person if it comes first', async () => {
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

  test('pauses the resumed run if it comes second', async () => {
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
  test('check one at a time', async () => {
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

  test('warn once if they check in turn', async () => {
    const budget = { maxTokens: 100, windowMs, warnAtPct: 50 };
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(60));
    const flying = await scene.start(spend(1), { sleepMs: 600_000 });
    await scene.dispatcher.claim();
    await Promise.all([scene.check(), scene.check(), scene.check()]);
    await scene.check();
    expect(await scene.frames(flying, 'log')).toHaveLength(1);
  });

  test('give a warning once if the first check crashes', async () => {
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

describe('a budget that is removed while it pauses a run', () => {
  const budget = { maxTokens: 100, windowMs };

  /** A spent budget, by the last verdict, which holds no run. */
  async function exhausted() {
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(100));
    await scene.check();
    return scene;
  }

  /**
   * Removes the policy, and checks while `hold` is about to pause a run. The next check must resume
   * the run.
   */
  async function removeWhile(
    scene: Awaited<ReturnType<typeof openScene>>,
    hold: () => Promise<unknown>,
  ): Promise<void> {
    const second = async (): Promise<void> => {
      await scene.register({});
      await scene.check();
    };
    await meet(service.db, { at: 'pauseRuns:after', first: hold, second });
  }

  test('resumes a run that starts paused at that moment', async () => {
    const scene = await exhausted();
    await removeWhile(scene, () => scene.start(spend(1)));
    await scene.check();
    const [, late] = await service.db.prisma.run.findMany({
      where: { projectId: scene.projectId },
      orderBy: { id: 'asc' },
    });
    expect(await scene.state(late?.id ?? '')).toEqual(['queued', null]);
    expect(await scene.check()).toMatchObject({ hasAny: true });
    expect(await service.db.prisma.flowBudget.count({ where: { projectId: scene.projectId } })).toBe(0);
  });

  test('resumes a run that another process pauses at that moment', async () => {
    const scene = await exhausted();
    const held = await scene.start(spend(1));
    await scene.resume(held);
    expect(await scene.state(held)).toEqual(['queued', null]);
    await removeWhile(scene, () => scene.check());
    await scene.check();
    expect(await scene.state(held)).toEqual(['queued', null]);
  });
});
