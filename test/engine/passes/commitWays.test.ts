import { afterEach, beforeAll, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { type Pass, type Reply, settlePass } from '../../../src/engine/passes/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let projectId: string;
let dispatcher: ScriptedDispatcher;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  dispatcher = await new ScriptedDispatcher(test.engine, () => complete(1)).start();
});
afterEach(() => onFailPoint(undefined));

const answers: Reply[] = [
  steps([{ op: 'StepRun', name: 'a', data: { n: 1e21 }, input: [1], ai: { model: 'm' } }]),
  steps([{ op: 'StepRun', name: 'b', error: { message: 'no' } }]),
  steps([{ op: 'StepRun', name: 'c', data: 'for a reason', skipped: true }]),
  complete({ done: true }),
];

async function claimed(runs: number): Promise<Pass[]> {
  for (let n = 0; n < runs; n += 1) {
    await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  }
  return dispatcher.claim();
}

/** Sends all answers, each to all passes at once. Returns the statements that wrote them. */
async function settleAll(passes: readonly Pass[]): Promise<string[]> {
  const written = new Set<string>();
  onFailPoint((point) => {
    written.add(point.split(':')[0] ?? '');
  });
  for (const reply of answers) await Promise.all(passes.map((pass) => settlePass(test.engine, pass, reply)));
  onFailPoint(undefined);
  return [...written].sort();
}

/** All rows of a run, without ids and instants. */
async function leftBy(runId: string): Promise<unknown> {
  const [run, work, step, frame] = await Promise.all([
    test.db.query(
      `select status, result, error, attempt, ended_at >= started_at as ended,
         ended_at >= (select max(ended_at)::timestamptz(3) from run_step where run_id = id) as last from run where id = $1`,
      [runId],
    ),
    test.db.query('select from run_work where run_id = $1', [runId]),
    test.db.query(
      `select index, attempt, step_id, name, op, status, input, output, error, ai, usage, run_after, will_retry,
         event_name, child_run_id, ended_at - started_at as took from run_step where run_id = $1 order by index`,
      [runId],
    ),
    test.db.query('select seq, kind, payload from run_frame where run_id = $1 order by seq', [runId]),
  ]);
  return { run: run.rows, work: work.rows, steps: step.rows, frames: frame.rows };
}

it('answers that are committed alone write the same as answers that are committed together', async () => {
  const [alone] = await claimed(1);
  if (!alone) throw new Error('nothing was claimed');
  expect(await settleAll([alone])).toEqual(['commitEnd', 'commitStep']);
  const together = await claimed(2);
  expect(await settleAll(together)).toEqual(['commitPlain']);

  const left = await leftBy(alone.runId);
  expect(left).toMatchObject({ work: [], run: [{ status: 'succeeded', ended: true, last: true }] });
  for (const { runId } of together) expect(await leftBy(runId)).toEqual(left);
});

it('neither a step nor an end is committed under a claim that has ended', async () => {
  for (const reply of answers) {
    const [pass] = await claimed(1);
    if (!pass) throw new Error('nothing was claimed');
    const late = { ...pass };
    await settlePass(test.engine, pass, steps([{ op: 'StepRun', name: 'first', data: 1 }]));
    const before = await leftBy(pass.runId);
    expect(await settlePass(test.engine, late, reply)).toBe('released');
    expect(await leftBy(pass.runId)).toEqual(before);
  }
});

it('a wait that ends with its run keeps the name of its event, however the answer is committed', async () => {
  const [plain, withLog] = await claimed(2);
  if (!plain || !withLog) throw new Error('nothing was claimed');
  const found = [
    { op: 'WaitForEvent' as const, name: 'wait', eventName: 'paid' },
    { op: 'StepRun' as const, name: 'fatal', error: { message: 'no' }, retriable: false },
  ];
  const line = { level: 'info', message: 'm', scope: '@root', index: 0, tsMs: 0 } as const;
  await settlePass(test.engine, plain, steps(found));
  await settlePass(test.engine, withLog, steps(found, [line]));
  for (const { runId } of [plain, withLog])
    expect(await leftBy(runId)).toMatchObject({
      steps: [{ status: 'cancelled', event_name: 'paid' }, { name: 'fatal' }],
    });
});
