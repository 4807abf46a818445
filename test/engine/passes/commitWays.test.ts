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

const nap = { op: 'Sleep', name: 'nap', sleepMs: 90_000 } as const;
const dawn = { op: 'SleepUntil', name: 'dawn', sleepUntilMs: Date.parse('2100-01-01T00:00:00.000Z') } as const;

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

it('neither a step nor a sleep nor an end is committed under a claim that has ended', async () => {
  for (const reply of [...answers, steps([nap])]) {
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

/** The queue's row of a parked run, its steps and frames, without ids and instants. */
async function parkedBy(runId: string): Promise<unknown> {
  const [work, step, frame] = await Promise.all([
    test.db.query(
      `select w.state, w.lease_id, w.claim_no, w.waiting_claim_no, w.seq, w.retry_at, w.resume_state, w.unanswered, w.repeats,
         w.due_at::timestamptz(3) = s.run_after as due, w.due_at > now() as later, r.status,
         w.waiting_for::jsonb - 'until' as waiting_for,
         (w.waiting_for->>'until')::timestamptz(3) = s.run_after as until
       from run_work w join run_step s using (run_id) join run r on r.id = w.run_id where w.run_id = $1`,
      [runId],
    ),
    test.db.query(
      `select index, attempt, step_id, name, op, status, will_retry, retry_withdrawn, event_name, child_run_id, ended_at,
         case when op = 'Sleep' then round(extract(epoch from run_after - started_at)) end as seconds
       from run_step where run_id = $1`,
      [runId],
    ),
    test.db.query(
      `select seq, kind, payload::jsonb #- '{waitingFor,until}' as payload,
         payload->'waitingFor'->>'until' is not null as until from run_frame where run_id = $1 order by seq`,
      [runId],
    ),
  ]);
  return { work: work.rows, steps: step.rows, frames: frame.rows };
}

it.each([nap, dawn])(
  'a sleep ($op) that is committed alone parks its run as sleeps that are committed together',
  async (sleep) => {
    const written = new Set<string>();
    const settle = async (passes: readonly Pass[]): Promise<string[]> => {
      written.clear();
      onFailPoint((point) => void written.add(point.split(':')[0] ?? ''));
      await Promise.all(passes.map((pass) => settlePass(test.engine, pass, steps([sleep]))));
      onFailPoint(undefined);
      return [...written];
    };
    const [alone] = await claimed(1);
    if (!alone) throw new Error('nothing was claimed');
    expect(await settle([alone])).toEqual(['commitParked']);
    const together = await claimed(2);
    expect(await settle(together)).toEqual(['commitPasses']);

    const left = await parkedBy(alone.runId);
    expect(left).toMatchObject({ work: [{ state: 'parked', due: true, later: true, until: true, status: 'waiting' }] });
    for (const { runId } of together) expect(await parkedBy(runId)).toEqual(left);
  },
);
