import { idOf } from '../support/scriptedRunner.ts';
import { agree } from './agree.ts';
import { handlesFailure, play, stepError } from './handler.ts';
import type { Scene } from './process.ts';
import { leavesOf, type Node, type Program } from './program.ts';

export interface StepRecord {
  name: string;
  index: number;
  attempt: number;
  op: string;
  status: string;
  output: unknown;
  error: { name?: string; message: string } | null;
  will_retry: boolean;
  child_run_id: string | null;
}

export interface RunRecord {
  id: string;
  workflow: string;
  status: string;
  attempt: number;
  result: unknown;
  error: { message: string } | null;
  created_at: string;
  event_id: string | null;
  parent_run_id: string | null;
  parent_step: string | null;
  parent_attempt: number | null;
  on_failure_of: string | null;
  /** In the order in which they were settled, latest attempt of each. */
  steps: StepRecord[] | null;
  rows: StepRecord[] | null;
  doubled: number;
  scores: number;
  emitted: number;
}

const terminal = ['succeeded', 'failed', 'cancelled'];

/** Everything about the runs of a project, in one query. */
async function runsOf({ db, projectId }: Scene): Promise<Map<string, RunRecord>> {
  const { rows } = await db.query<{ run: string }>({
    name: 'runsOfProject',
    text: `
      select json_build_object('id', r.id, 'workflow', r.workflow, 'status', r.status, 'attempt', r.attempt,
        'result', r.result, 'error', r.error, 'created_at', r.created_at, 'event_id', r.event_id,
        'parent_run_id', r.parent_run_id, 'parent_step', r.parent_step, 'parent_attempt', r.parent_attempt,
        'on_failure_of', r.on_failure_of,
        'steps', (select json_agg(s order by s.ended_at nulls last, s.index) from (
          select distinct on (index) * from run_step where run_id = r.id order by index, attempt desc) s),
        'rows', (select json_agg(s order by s.index, s.attempt) from run_step s where s.run_id = r.id),
        'doubled', (select count(*) from (
          select 1 from run_frame where run_id = r.id and kind = 'step_status'
          group by payload ->> 'step', payload ->> 'attempt', payload ->> 'status' having count(*) > 1) d),
        'scores', (select count(*) from score where run_id = r.id),
        'emitted', (select count(*) from event where source_run_id = r.id))::text as run
      from run r where r.project_id = $1 order by r.id`,
    values: [projectId],
  });
  const runs: RunRecord[] = rows.map((row) => JSON.parse(row.run));
  return new Map(runs.map((run) => [run.id, run]));
}

/** Holds what the storm left behind to the model. Throws with the first thing that is not as it must be, and answers the runs. */
export async function judge(scene: Scene): Promise<RunRecord[]> {
  const runs = await runsOf(scene);
  agree('what runners saw', scene.ledger.violations, []);
  for (const run of runs.values()) {
    const program = scene.programs.get(run.workflow);
    if (!program) throw new Error(`nobody wrote ${run.workflow}`);
    const nodes = run.on_failure_of ? [handlesFailure] : program.nodes;
    judgeRun({ scene, run, program: { ...program, nodes }, runs });
  }
  judgeFollowOns(scene, [...runs.values()]);
  return [...runs.values()];
}

interface Case {
  scene: Scene;
  run: RunRecord;
  program: Program;
  runs: Map<string, RunRecord>;
}

/** A failed run of a workflow that handles its failures has one follow-on run, any other none. */
function judgeFollowOns({ programs }: Scene, runs: readonly RunRecord[]): void {
  for (const run of runs) {
    const isHandled = run.status === 'failed' && run.on_failure_of === null && programs.get(run.workflow)?.onFailure;
    const followOns = runs.filter((each) => each.on_failure_of === run.id).length;
    agree(`follow-on runs of run ${run.id}`, followOns, isHandled ? 1 : 0);
  }
}

function judgeRun(each: Case): void {
  const { scene, run, program } = each;
  const what = `run ${run.id} (${run.workflow})`;
  const rows = run.rows ?? [];
  agree(`${what} is over`, terminal.includes(run.status), true);
  agree(`${what}, frames told twice`, run.doubled, 0);
  const nodes = new Map(leavesOf(program.nodes).flatMap((node) => (node.kind === 'toss' ? [] : [[node.name, node]])));
  for (const row of rows) judgeStep(each, row, nodes.get(row.name));
  const done = (op: string): number => rows.filter((row) => row.op === op && row.status === 'succeeded').length;
  agree(`${what}, events emitted`, run.emitted, done('Emit'));
  agree(`${what}, scores`, run.scores, done('Score'));
  // The cancellation of a run may strike it in flight.
  const faults = scene.ledger.lost(run.id) + (run.status === 'cancelled' ? 1 : 0);
  for (const name of nodes.keys()) {
    const recorded = rows.filter((row) => row.name === name && row.op === 'StepRun').length;
    const entered = scene.ledger.entered(run.id, name);
    if (entered > recorded + faults) {
      throw new Error(`${what}: ${name} was entered ${entered} times, for ${recorded} attempts and ${faults} faults`);
    }
  }
  judgeEnd(each);
}

function judgeStep({ scene, run, program, runs }: Case, row: StepRecord, node: Node | undefined): void {
  const where = `step ${row.name}, attempt ${row.attempt}, of run ${run.id}`;
  if (!node) throw new Error(`${where}: the program has no such step`);
  agree(`${where}: attempts within the budget`, row.attempt <= program.maxAttempts, true);
  if (row.status === 'cancelled') return;
  if (node.kind === 'step') {
    const isFailure = row.attempt === node.fatalAt || row.attempt <= node.fails;
    const status = isFailure ? 'failed' : node.skip ? 'skipped' : 'succeeded';
    const error = isFailure ? stepError(row.name, row.attempt) : null;
    agree(where, { status: row.status, error: row.error }, { status, error });
  } else if (node.kind === 'child') {
    judgeChild(where, run, row, runs);
  } else if (node.kind === 'sleep' || node.kind === 'sleepUntil' || node.kind === 'score') {
    agree(where, row.status, 'succeeded');
  } else if (node.kind === 'wait') {
    judgeWait(scene, where, row, node);
  } else if (node.kind === 'unknown') {
    agree(where, row.status, 'failed');
  }
}

function judgeWait(scene: Scene, where: string, row: StepRecord, node: Extract<Node, { kind: 'wait' }>): void {
  agree(where, row.status, 'succeeded');
  if (row.output === null) {
    agree(`${where}, may time out`, node.timeoutMs !== undefined, true);
    scene.coverage.count('wait', 'timed out');
    return;
  }
  const { name, data } = row.output as { name: unknown; data: { key: unknown } };
  agree(where, { name, key: data.key }, { name: node.event, key: node.key ?? data.key });
  scene.coverage.count('wait', node.key === undefined ? 'any' : 'by key');
}

/** One child for each attempt of the step, whose end is the step's. */
function judgeChild(where: string, run: RunRecord, row: StepRecord, runs: Map<string, RunRecord>): void {
  const children = [...runs.values()].filter(
    (each) => each.parent_run_id === run.id && each.parent_step === row.name && each.parent_attempt === row.attempt,
  );
  agree(
    `children of ${where}`,
    children.map((each) => each.id),
    [row.child_run_id],
  );
  const [child] = children;
  const told = { status: row.status, output: row.output, error: row.error?.message };
  if (child?.status === 'succeeded') {
    agree(where, told, { status: 'succeeded', output: child.result, error: undefined });
  } else {
    const error = child?.status === 'failed' ? child.error?.message : 'the child run was cancelled';
    agree(where, told, { status: 'failed', output: null, error });
  }
}

/** The end of a run follows from its memo: the handler, asked once more, says the same. */
function judgeEnd(each: Case): void {
  const { scene, run, program, runs } = each;
  const { ledger, coverage } = scene;
  coverage.count('status', run.status);
  if (run.status === 'cancelled') {
    const parent = run.parent_run_id === null ? undefined : runs.get(run.parent_run_id);
    agree(`run ${run.id} had to be cancelled`, ledger.cancelled.has(run.id) || parent !== undefined, true);
    return;
  }
  if (ledger.wasDeserted && run.error?.message.startsWith('no live runner')) return;
  if ((ledger.dropped.get(run.id) ?? 0) >= 10 && run.error?.message === 'runner did not answer') return;
  const told = { status: run.status, error: run.error?.message, result: run.result };
  agree(`the end of run ${run.id} (${run.workflow}), attempt ${run.attempt}`, told, endOf(run, program));
}

function endOf(run: RunRecord, program: Program): { status: string; error: string | undefined; result: unknown } {
  // Of several in one answer, the first to be reported; rows do not say which that was.
  const fatals = (run.rows ?? []).filter((row) => isFatal(row, program)).map((row) => row.error?.message);
  if (fatals.length > 0) {
    return { status: 'failed', error: fatals.find((each) => each === run.error?.message) ?? fatals[0], result: null };
  }
  const outcome = play(program, requestOf(run, program));
  if (outcome.kind === 'done') return { status: 'succeeded', error: undefined, result: outcome.value };
  if (outcome.kind === 'threw') return { status: 'failed', error: outcome.error.message, result: null };
  return { status: 'unfinished', error: undefined, result: null };
}

const stepNamed = (program: Program, name: string): Node | undefined =>
  leavesOf(program.nodes).find((node) => node.name === name);

function isFatal(row: StepRecord, program: Program): boolean {
  const node = stepNamed(program, row.name);
  return node?.kind === 'step' && row.status === 'failed' && row.attempt === node.fatalAt;
}

/** The invoke that the handler would get with the memo as it was in the end. */
function requestOf(run: RunRecord, program: Program) {
  const steps: Record<string, { data: unknown } | { error: { message: string } } | { pending: true }> = {};
  for (const row of run.steps ?? []) steps[idOf(row.name)] = entryOf(row, program);
  return {
    steps,
    event: { name: '', ts: run.created_at },
    ctx: { runId: run.id, workflow: run.workflow, attempt: run.attempt, app: '', runner: '' },
  };
}

function entryOf(row: StepRecord, { maxAttempts }: Program) {
  if (row.status === 'succeeded') return { data: row.output };
  if (row.status === 'skipped') return { data: null };
  // The end of a run forsakes retries: such a failure was not final.
  const wasRetried = row.op === 'StepRun' || row.op === 'RunWorkflow';
  const isFinal = !wasRetried || row.attempt >= maxAttempts || row.error?.name === 'ChildCancelledError';
  if (row.status === 'failed' && isFinal && row.error) return { error: row.error };
  return { pending: true } as const;
}
