import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { failOverrunRuns } from '../../../src/engine/consequences/index.ts';
import { cancelRun, pauseRun, replayRun } from '../../../src/engine/control/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
import { complete, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const maxDuration = 60_000;
const error = { name: 'RunTimeoutError', message: 'the run did not end within its maxDuration of 60000 ms' };

const napping = () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]);
const handlers: Record<string, (request: InvokeRequest) => ReturnType<typeof complete>> = {
  naps: napping,
  failing: () => thrown({ message: 'no' }),
  parent: ({ ctx }) =>
    ctx.onFailure ? complete(ctx.error) : steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]),
  child: napping,
  late: () => complete('done'),
};

async function openSite() {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [
    { name: 'naps', maxDuration },
    { name: 'parent', maxDuration, onFailure: true },
    { name: 'child' },
    { name: 'late', maxDuration, throttle: { limit: 1, perMs: 600_000 } },
    { name: 'free' },
  ]);
  const dispatcher = await new ScriptedDispatcher(
    test.engine,
    (request) => handlers[request.ctx.workflow]?.(request) ?? complete(null),
  ).start();
  const start = async (name: string): Promise<string> => {
    const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name, input: {} });
    return runId ?? '';
  };
  return {
    projectId,
    dispatcher,
    start,
    settle: () => settleAll(test.engine, dispatcher),
    run: (id: string) => test.db.prisma.run.findUniqueOrThrow({ where: { id } }),
  };
}

describe('a run that exceeds its maxDuration', () => {
  it('fails with the reason while it is parked, and not a moment sooner', async () => {
    const { projectId, start, dispatcher, run } = await openSite();
    const runId = await start('naps');
    await dispatcher.runOnce();
    clock.advance(maxDuration - 1);
    expect(await failOverrunRuns(test.engine)).toBe(0);
    expect((await nextDueInMs(test.engine)).endInMs).toBe(1);
    clock.advance(1);
    expect(await failOverrunRuns(test.engine)).toBe(1);
    expect(await run(runId)).toMatchObject({ status: 'failed', error });
    const frames = await readFrames(test.engine, { projectId, runId });
    expect(frames.slice(-2).map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { step: 'nap', status: 'cancelled' },
      { status: 'failed', error },
    ]);
    expect(await failOverrunRuns(test.engine)).toBe(0);
  });

  it('fails while it is queued, and while it is paused', async () => {
    const { projectId, start, run } = await openSite();
    const runIds = [await start('naps'), await start('naps')];
    await pauseRun(test.engine, { projectId, runId: runIds[1] ?? '', actor: 'test' });
    clock.advance(maxDuration);
    expect(await failOverrunRuns(test.engine)).toBe(2);
    for (const runId of runIds) expect(await run(runId)).toMatchObject({ status: 'failed', error, pausedReason: null });
  });

  it('fails under a pass, whose runner gets a cancel and whose answer is ignored', async () => {
    const { start, dispatcher, run } = await openSite();
    const runId = await start('naps');
    const [pass] = await dispatcher.claim();
    const cancelled: unknown[] = [];
    test.engine.bus.on('run.cancelled', (each) => cancelled.push(each));
    clock.advance(maxDuration);
    expect(await failOverrunRuns(test.engine)).toBe(1);
    expect(cancelled).toEqual([{ runId, reason: 'the run exceeded its maxDuration' }]);
    if (pass) await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'failed', error });
  });

  it('takes its children with it, and its failure handler gets the error', async () => {
    const { start, settle, run } = await openSite();
    const runId = await start('parent');
    await settle();
    clock.advance(maxDuration);
    await failOverrunRuns(test.engine);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'failed', error });
    const [child] = await test.db.prisma.run.findMany({ where: { parentRunId: runId } });
    expect(child).toMatchObject({ status: 'cancelled' });
    const [followOn] = await test.db.prisma.run.findMany({ where: { onFailureOf: runId } });
    expect(followOn).toMatchObject({ status: 'succeeded', result: error });
  });
});

describe('the time of a run', () => {
  it('counts from its start time, if flow control delays it', async () => {
    const { start, settle, run } = await openSite();
    await start('late');
    const delayed = await start('late');
    await settle();
    clock.advance(599_999);
    expect(await failOverrunRuns(test.engine)).toBe(0);
    clock.advance(1);
    await settle();
    expect(await run(delayed)).toMatchObject({ status: 'succeeded' });
  });

  it('counts anew for a replay', async () => {
    const { projectId, start, run } = await openSite();
    const runId = await start('naps');
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    clock.advance(maxDuration - 1);
    const replay = await replayRun(test.engine, { projectId, runId, actor: 'test', input: undefined });
    clock.advance(maxDuration - 1);
    expect(await failOverrunRuns(test.engine)).toBe(0);
    clock.advance(1);
    await failOverrunRuns(test.engine);
    expect(await run(replay.id)).toMatchObject({ status: 'failed', error });
  });

  it('is unlimited without a maxDuration', async () => {
    const { start } = await openSite();
    await start('free');
    clock.advance(10 * 365 * 86_400_000);
    expect(await failOverrunRuns(test.engine)).toBe(0);
  });

  it('is watched by the scheduler', async () => {
    const { start, run } = await openSite();
    const runId = await start('naps');
    clock.advance(maxDuration);
    const scheduler = new Scheduler(test.engine);
    expect(await scheduler.endLate()).toEqual({ again: true });
    expect(await run(runId)).toMatchObject({ status: 'failed' });
  });
});
