import { agree } from '../kit/agree.ts';
import { handlesFailure, play } from '../program/handler.ts';
import { leavesOf, type Node, type Program } from '../program/program.ts';
import type { Scene } from '../storm/process.ts';
import { eventsOf } from './eventRecord.ts';
import { judgeApproval } from './judgeApprovals.ts';
import { judgeEvents } from './judgeEvents.ts';
import { type Deeds, judgeFlow } from './judgeFlow.ts';
import { carriedRows, judgeCarried } from './judgeForks.ts';
import { judgeSchedules } from './judgeSchedules.ts';
import { judgeCap, judgeUsage } from './judgeSpend.ts';
import { judgeStep } from './judgeSteps.ts';
import { isFatal, requestOf } from './lastRequest.ts';
import { type RunRecord, runsOf, type StepRecord } from './runRecord.ts';

const terminal = ['succeeded', 'failed', 'cancelled'];

/**
 * Checks the final rows of the storm against the model. Throws at the first difference, and returns
 * the runs.
 */
export async function judge(scene: Scene): Promise<RunRecord[]> {
  const runs = await runsOf(scene);
  agree('what runners saw', scene.ledger.violations, []);
  const events = await eventsOf(scene);
  const deeds = await judgeFlow(scene, { runs, events });
  for (const run of runs.values()) {
    const program = scene.programs.get(run.workflow);
    if (!program) throw new Error(`nobody wrote ${run.workflow}`);
    const nodes = run.on_failure_of ? [handlesFailure] : program.nodes;
    judgeRun({ scene, run, program: { ...program, nodes }, runs, ...deeds });
  }
  judgeFollowOns(scene, [...runs.values()]);
  judgeSchedules(scene, [...runs.values()]);
  judgeEvents(scene, runs, events);
  return [...runs.values()];
}

/** A run with its program. */
export interface Case extends Deeds {
  scene: Scene;
  run: RunRecord;
  program: Program;
  runs: Map<string, RunRecord>;
}

/**
 * A failed run of a workflow with `onFailure` has one follow-on run, any other none. The follow-on
 * run may be replayed.
 */
function judgeFollowOns({ programs }: Scene, runs: readonly RunRecord[]): void {
  for (const run of runs) {
    const isHandled = run.status === 'failed' && run.on_failure_of === null && programs.get(run.workflow)?.onFailure;
    const followOns = runs.filter((each) => each.on_failure_of === run.id && each.replay_of === null).length;
    agree(`follow-on runs of run ${run.id}`, followOns, isHandled ? 1 : 0);
  }
}

function judgeRun(each: Case): void {
  const { run, program, runs } = each;
  const what = `run ${run.id} (${run.workflow})`;
  agree(`${what} is over`, terminal.includes(run.status), true);
  agree(`${what}, frames told twice`, run.doubled, 0);
  const nodes = new Map(leavesOf(program.nodes).flatMap((node) => (node.kind === 'toss' ? [] : [[node.name, node]])));
  const carried = carriedRows(run, runs);
  judgeCarried(each, carried);
  const own = (run.rows ?? []).filter((row) => !carried.has(row));
  for (const row of own) judgeStep(each, row, nodes.get(row.name));
  judgeCounts(each, own, nodes);
  judgeUsage(each, own);
  judgeTold(each, carried);
  const overCap = judgeCap(each, own);
  for (const approval of run.approvals ?? []) judgeApproval(each, approval, nodes.get(approval.step));
  judgeEnd(each, own, overCap);
}

/** The endpoint is told once of each end in the journal, and of no step that was carried over. */
function judgeTold({ scene, run }: Case, carried: ReadonlySet<StepRecord>): void {
  const before = new Set([...carried].map(({ status, index, attempt }) => `step.${status}/${index}/${attempt}`));
  const ends = scene.hasEndpoint ? run.ends.filter((end) => !before.has(end)) : [];
  agree(`run ${run.id}, told to the endpoint`, run.told.toSorted(), ends.toSorted());
  if (ends.length > 0) scene.coverage.count('endpoint', 'told');
}

/**
 * Each side effect of a step exists once, and each attempt enters its body once, except for faults.
 */
function judgeCounts({ scene, run }: Case, own: readonly StepRecord[], nodes: ReadonlyMap<string, Node>): void {
  const what = `run ${run.id} (${run.workflow})`;
  const done = (op: string): number => own.filter((row) => row.op === op && row.status === 'succeeded').length;
  agree(`${what}, events emitted`, run.emitted, done('Emit'));
  agree(`${what}, scores`, run.scores, done('Score'));
  agree(`${what}, custom sends`, run.sent, done('Webhook'));
  const asked = own.filter((row) => row.op === 'Approval' && !(run.status === 'failed' && neverBegan(row))).length;
  agree(`${what}, approvals`, run.approvals?.length ?? 0, asked);
  // The cancellation of a run may hit it in flight.
  const faults = scene.ledger.lost(run.id) + (run.status === 'cancelled' ? 1 : 0);
  for (const name of nodes.keys()) {
    const recorded = own.filter((row) => row.name === name && row.op === 'StepRun').length;
    const entered = scene.ledger.entered(run.id, name);
    if (entered > recorded + faults) {
      throw new Error(`${what}: ${name} was entered ${entered} times, for ${recorded} attempts and ${faults} faults`);
    }
  }
}

/**
 * Steps that would have waited, in the answer that failed their run: no approval was requested, and
 * no child started. A run displaced by an event of the same answer had requested it before.
 */
const neverBegan = ({ status, started_at: startedAt, ended_at: endedAt }: StepRecord): boolean =>
  status === 'cancelled' && startedAt === endedAt;

/** The end of a run follows from its memo: the handler, executed again, returns the same. */
function judgeEnd(each: Case, own: readonly StepRecord[], overCap: string | undefined): void {
  const { scene, run, program, runs, displaced } = each;
  const { ledger, coverage } = scene;
  coverage.count('status', run.status);
  coverage.count('origin', originOf(run));
  for (const change of changesOf(run)) coverage.count('transition', change);
  if (run.status === 'cancelled') {
    const parent = run.parent_run_id === null ? undefined : runs.get(run.parent_run_id);
    const isWanted = ledger.cancelled.has(run.id) || ledger.cancelledInBulk.has(run.workflow);
    agree(`run ${run.id} had to be cancelled`, isWanted || parent !== undefined || displaced.has(run.id), true);
    return;
  }
  if (ledger.wasStranded && run.error?.message.startsWith('no live runner')) return;
  if ((ledger.dropped.get(run.id) ?? 0) >= 10 && run.error?.message.startsWith('runner did not answer')) return;
  // A failure that ends the run in the same answer comes first.
  if (overCap !== undefined && run.error?.message === overCap) return;
  const told = { status: run.status, error: run.error?.message, result: run.result };
  agree(`the end of run ${run.id} (${run.workflow}), attempt ${run.attempt}`, told, endOf(run, program, own));
}

/** The changes of status in the journal. The doctor checks that they are allowed. */
const changesOf = ({ statuses }: RunRecord): string[] =>
  (statuses ?? []).slice(1).map((status, position) => `${statuses?.[position]} → ${status}`);

function originOf(run: RunRecord): string {
  if (run.replay_of !== null) return 'started over';
  if (run.parent_run_id !== null) return 'child';
  return run.on_failure_of === null ? run.trigger_kind : 'follow-on';
}

function endOf(
  run: RunRecord,
  program: Program,
  own: readonly StepRecord[],
): { status: string; error: string | undefined; result: unknown } {
  // The first of several in one answer counts, but rows do not show which one that was.
  const fatals = own.filter((row) => isFatal(row, program)).map((row) => row.error?.message);
  if (fatals.length > 0) {
    return { status: 'failed', error: fatals.find((each) => each === run.error?.message) ?? fatals[0], result: null };
  }
  const outcome = play(program, requestOf(run, program, own));
  if (outcome.kind === 'done') return { status: 'succeeded', error: undefined, result: outcome.value };
  if (outcome.kind === 'threw') return { status: 'failed', error: outcome.error.message, result: null };
  return { status: 'unfinished', error: undefined, result: null };
}
