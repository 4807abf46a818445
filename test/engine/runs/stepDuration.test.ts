import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideApproval } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { retryRunFromStep } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { selectRunSteps, stepDurationMs } from '../../../src/engine/runs/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';
import { openScene, type Scene } from '../control/scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
let made: Scene;

const flow: Script = (request) => {
  if (!memoOf(request, 'work')) {
    // As long as an invoke really takes: not a whole number of milliseconds.
    const answer = steps([
      { op: 'StepRun', name: 'work', data: 1 },
      { op: 'Sleep', name: 'nap', sleepMs: 1_000 },
      { op: 'WaitForEvent', name: 'go', eventName: 'go' },
      { op: 'Approval', name: 'sign', tool: 'refund' },
    ]);
    return { ...answer, elapsedMs: 12.4 };
  }
  const open = ['nap', 'go', 'sign'].some((name) => 'pending' in (memoOf(request, name) ?? {}));
  return open ? steps([]) : complete('done');
};

beforeAll(async () => {
  made = await openScene(test, { flow });
});
afterAll(() => made.finish());

/** What frames tell and what rows are read as, of each settled step. */
async function durations(runId: string) {
  const { db } = test;
  const frames = await db.prisma.runFrame.findMany({ where: { runId, kind: 'step_status' }, orderBy: { seq: 'asc' } });
  const told = frames.flatMap(({ payload }) => {
    const { step, durationMs } = payload as { step: string; durationMs?: number };
    return durationMs === undefined ? [] : [[step, durationMs] as const];
  });
  const rows = await selectRunSteps(db, { runIds: [runId] });
  return {
    told: Object.fromEntries(told),
    read: Object.fromEntries(rows.map((row) => [row.name, stepDurationMs(row)])),
  };
}

it('frames and rows tell the same duration, whatever settled the step', async () => {
  const { start, settle, projectId, run } = made;
  const runId = await start('flow');
  await settle();
  // The database's clock has microseconds, that of the test has not.
  const text = `update run_step set started_at = started_at - interval '100 microseconds' where status = 'waiting'`;
  await test.db.query({ text, values: [] });
  clock.advance(700);
  await sendEvent(test.engine, { projectId, input: { name: 'go' } });
  const { id: approvalId } = await test.db.prisma.approval.findFirstOrThrow({ where: { runId } });
  const decider = { decidedBy: 'somebody', decidedVia: 'api' } as const;
  const decision = { projectId, approvalId, status: 'approved', args: undefined, decider, actor: 'test' } as const;
  await decideApproval(test.engine, decision);
  clock.advance(300);
  await settle();
  expect(await run(runId)).toMatchObject({ status: 'succeeded' });

  const { told, read } = await durations(runId);
  expect(told).toEqual({ work: 12, nap: 1_001, go: 701, sign: 701 });
  expect(read).toEqual(told);

  await test.db.query({
    text: "update run_step set started_at = started_at - interval '100 microseconds'",
    values: [],
  });
  const fork = await retryRunFromStep(test.engine, { ...made.call(runId), step: 'sign' });
  const copied = await durations(fork.id);
  expect(Object.keys(copied.told).sort()).toEqual(['go', 'nap', 'work']);
  expect(copied.read).toEqual(copied.told);
});
