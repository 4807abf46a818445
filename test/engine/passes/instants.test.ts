import { expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import type { Frame } from '../../../src/engine/bus.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
import { complete, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

/**
 * The run and its step as a commit of `answer` leaves them that had to wait for the lock of its
 * run.
 */
async function commitLate(maxAttempts: number, answer: ReturnType<typeof steps>, outcome = 'released') {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry: { maxAttempts } }]);
  const { runId = '' } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  const dispatcher = await new ScriptedDispatcher(test.engine, () => complete(1)).start();
  const [pass] = await dispatcher.claim();
  if (!pass) throw new Error('nothing was claimed');

  const { settled } = await test.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [runId] });
    const settling = settlePass(test.engine, pass, answer);
    await tx.query({ text: 'select pg_sleep(0.1)', values: [] });
    return { settled: settling };
  });
  expect(await settled).toBe(outcome);

  const step = await test.db.prisma.runStep.findFirstOrThrow({ where: { runId } });
  const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  const frames = await readFrames(test.engine, { projectId, runId });
  const framed = frames.find((frame) => JSON.parse(frame.payload).step === 's');
  const told = JSON.parse(framed?.payload ?? '');
  expect(Number(framed?.ts)).toBeGreaterThanOrEqual(Number(step.endedAt));
  expect(frames.map(({ ts }) => Number(ts))).toEqual(frames.map(({ ts }) => Number(ts)).sort((a, b) => a - b));
  const rowMs = Number(step.endedAt) - Number(step.startedAt);
  // Instants are kept to the microsecond and shown to the millisecond.
  expect(Math.abs(rowMs - told.durationMs)).toBeLessThanOrEqual(1);
  return { run, step, told, frames };
}

const failure = { op: 'StepRun', name: 's', error: { message: 'no' } } as const;

it('a commit that had to wait has the same duration in row and frame, and ends the run after its steps', async () => {
  const { run, step, frames } = await commitLate(1, steps([{ ...failure, retriable: false }]));
  expect(Number(run.endedAt)).toBeGreaterThanOrEqual(Number(step.endedAt));
  expect(frames.at(-1)?.ts).toEqual(run.endedAt);
});

it('a commit of a step alone that had to wait dates its frame when the step ended', async () => {
  await commitLate(1, steps([{ op: 'StepRun', name: 's', data: 1 }]), 'again');
});

it('live frames have the same dates as frames that are read again, and as the run', async () => {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  const live: Frame[] = [];
  const unfollow = test.engine.bus.on('run.frames', ({ frames }) => void live.push(...frames));
  const dispatcher = await new ScriptedDispatcher(test.engine, ({ steps: memo }) => {
    const count = Object.keys(memo).length;
    return count < 20 ? steps([{ op: 'StepRun', name: `s${count}`, data: 1 }]) : complete(1);
  }).start();
  const { runId = '' } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  await dispatcher.runOnce();
  unfollow();
  const frames = await readFrames(test.engine, { projectId, runId });
  expect(live).toEqual(frames);
  const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  expect(run).toMatchObject({ createdAt: frames[0]?.ts, startedAt: frames[1]?.ts, endedAt: frames.at(-1)?.ts });
});

it('a commit that had to wait delays the next attempt by the whole delay', async () => {
  const { step, told } = await commitLate(2, steps([{ ...failure, retryAfterMs: 60_000 }]));
  expect(Number(step.runAfter) - Number(step.endedAt)).toBeGreaterThanOrEqual(60_000);
  expect(told).toMatchObject({ willRetry: true, nextAttemptAt: step.runAfter?.toISOString() });
});
