import { Batcher } from '../batcher.ts';
import type { Frame } from '../bus.ts';
import { drawConsequencesSoon } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { type Queryable, retryTransient, type Transaction } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { tallyOfWorkflow } from '../tally/index.ts';
import { logPayload, statusPayload, stepPayload } from '../timeline/index.ts';
import { afterRelease, databaseClock, type Released, releaseRuns, upcomingWakes } from '../work/index.ts';
import { type CommitOutcome, hasConsequences, type PassCommit, statusOf } from './commit.ts';
import { commitEnd, soleEnd } from './sql/commitEnd.ts';
import { commitParked, soleParked } from './sql/commitParked.ts';
import { type CommittedRow, commitPasses } from './sql/commitPasses.ts';
import { commitPlain, isPlain } from './sql/commitPlain.ts';
import { commitStep, soleStep } from './sql/commitStep.ts';

/**
 * The short statements skip runs whose lease is lost, and runs that are to be paused.
 * `isUncertain`: the commit was sent before.
 */
type PlainOutcome = CommitOutcome | { kind: 'unanswered'; isUncertain: boolean };

interface Batch {
  commits: readonly PassCommit[];
  now: Date | null;
}

/** Each flush is one statement, so that a failed flush wrote nothing. */
interface Batchers {
  plain: Batcher<PassCommit, PlainOutcome>;
  any: Batcher<PassCommit, CommitOutcome>;
}

const batchersOf = perEngine((ctx): Batchers => {
  const limits = { maxItems: 100, maxInFlight: 2, maxQueued: 100_000 };
  return {
    plain: new Batcher({ flush: (commits) => flushPlain(ctx, commits), ...limits }),
    any: new Batcher({ flush: (commits) => flushAny(ctx, commits), ...limits }),
  };
});

/**
 * Commits one answer, together with others that arrive meanwhile. The commit is durable when this
 * resolves.
 *
 * After a broken connection the outcome of a commit is unknown, so the commit is retried. Its claim
 * number tells whether the first try was committed. If it was, the run is still leased to this
 * process, which releases it. The next claim then reads it as stored.
 */
export async function commitPass(ctx: EngineContext, commit: PassCommit): Promise<CommitOutcome> {
  const { plain, any } = batchersOf(ctx);
  if (!isPlain(commit)) return any.add(commit);
  const outcome = await plain.add(commit);
  if (outcome.kind !== 'unanswered') return outcome;
  const decided = await any.add(commit);
  if (decided.kind === 'lost' && outcome.isUncertain) await handBack(ctx, [commit]);
  return decided;
}

async function flushPlain(ctx: EngineContext, commits: PassCommit[]): Promise<PlainOutcome[]> {
  const { rows, isUncertain } = await tryOn((batch) => writePlain(ctx.db, batch), ctx, commits);
  const outcomes = outcomesOf(commits, rows);
  ctx.db.afterCommit(() => announceCommits(ctx, commits, rows));
  return outcomes.map((outcome) => (outcome.kind === 'lost' ? { kind: 'unanswered', isUncertain } : outcome));
}

/** A commit that is alone in its batch takes the shortest statement for its kind. */
function writePlain(db: Queryable, { commits, now }: Batch): Promise<CommittedRow[]> {
  const [only, ...others] = commits;
  if (only && others.length === 0) {
    const step = soleStep(only);
    if (step) return commitStep(db, { ...step, now });
    const end = soleEnd(only);
    if (end) return commitEnd(db, { ...end, now });
  }
  return commitPlain(db, { commits, now });
}

async function flushAny(ctx: EngineContext, commits: PassCommit[]): Promise<CommitOutcome[]> {
  const { rows, isUncertain } = await tryOn((batch) => writeAny(ctx.db, batch), ctx, commits);
  const outcomes = outcomesOf(commits, rows);
  ctx.db.afterCommit(() => announceCommits(ctx, commits, rows));
  if (isUncertain) {
    await handBack(
      ctx,
      commits.filter((_, position) => outcomes[position]?.kind === 'lost'),
    );
  }
  return outcomes;
}

/** A sleep that is alone in its batch takes the short statement, unless that declines. */
async function writeAny(db: Queryable, { commits, now }: Batch): Promise<CommittedRow[]> {
  const [only, ...others] = commits;
  const parked = only && others.length === 0 ? soleParked(only) : undefined;
  const rows = parked ? await commitParked(db, { ...parked, now }) : [];
  return rows.length > 0 ? rows : commitPasses(db, { commits, now });
}

/** `isUncertain`: a former try may have been committed. */
async function tryOn(
  write: (batch: Batch) => Promise<CommittedRow[]>,
  ctx: EngineContext,
  commits: PassCommit[],
): Promise<{ rows: CommittedRow[]; isUncertain: boolean }> {
  let isUncertain = false;
  const rows = await retryTransient((tries) => {
    isUncertain = tries > 0;
    return write({ commits, now: ctx.clock.sql() });
  });
  return { rows, isUncertain };
}

async function handBack(ctx: EngineContext, lost: readonly PassCommit[]): Promise<void> {
  const [first] = lost;
  if (!first) return;
  await releaseRuns(
    ctx,
    first.pass.dispatcherId,
    lost.map((commit) => commit.pass.runId),
  );
}

/** Writes an answer inside a transaction of the caller's. */
export async function commitWithin(ctx: EngineContext, tx: Transaction, commit: PassCommit): Promise<CommitOutcome> {
  const rows = await commitPasses(tx, { commits: [commit], now: ctx.clock.sql() });
  tx.afterCommit(() => announceCommits(ctx, [commit], rows));
  return outcomesOf([commit], rows)[0] ?? { kind: 'lost' };
}

/** Announces a commit that was written, and returns its outcome. */
export function announceCommit(ctx: EngineContext, commit: PassCommit, rows: readonly CommittedRow[]): CommitOutcome {
  ctx.db.afterCommit(() => announceCommits(ctx, [commit], rows));
  return outcomesOf([commit], rows)[0] ?? { kind: 'lost' };
}

/** The outcome of each commit, in order. A commit without a row has lost its lease. */
function outcomesOf(commits: readonly PassCommit[], rows: readonly CommittedRow[]): CommitOutcome[] {
  const outcomes = commits.map((): CommitOutcome => ({ kind: 'lost' }));
  for (const row of rows) {
    const { wakes, now, delaysFrom = now } = row;
    outcomes[row.ord] = row.kept ? { kind: 'kept', wakes, now, delaysFrom } : { kind: 'released' };
  }
  return outcomes;
}

/** Announces the commits in this process: streams have new frames, timers may be due sooner. */
function announceCommits(ctx: EngineContext, commits: readonly PassCommit[], rows: readonly CommittedRow[]): void {
  let soonest = Number.POSITIVE_INFINITY;
  const ended: string[] = [];
  const released: Released[] = [];
  for (const row of rows) {
    const commit = commits[row.ord];
    if (!commit) continue;
    count(ctx, commit, row);
    const { projectId, runId, app, workflow } = commit.pass;
    const frames = framesOf(commit, row);
    if (frames.length > 0) ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
    else if (row.frames > 0) ctx.bus.emit('run.moved', { runs: [commit.pass], goesOn: goesOn(commit) });
    for (const approvalId of row.withdrawn ?? []) ctx.bus.emit('approval.changed', { projectId, approvalId });
    if (hasConsequences(commit)) ended.push(runId);
    if (!row.kept && commit.pass.taken) released.push({ ...commit.pass.taken, projectId });
    if (row.kept || row.paused || commit.next.kind === 'finish') continue;
    const clock = databaseClock(ctx);
    clock.heard(row.now.getTime(), performance.now());
    const { delaysFrom = row.now } = row;
    const inMs = wakesIn(commit, delaysFrom) - clock.elapsedMs(delaysFrom);
    const takenInMs = commit.pass.taken ? undefined : upcomingWakes(ctx).add(commit.pass, inMs);
    soonest = Math.min(soonest, takenInMs ?? inMs);
  }
  if (Number.isFinite(soonest))
    ctx.bus.emit(commits.some(hasDeadline) ? 'work.due' : 'run.due', { inMs: Math.max(0, soonest) });
  if (released.length > 0) afterRelease(ctx, released);
  if (ended.length > 0) drawConsequencesSoon(ctx, ended);
}

/** Whether the run neither ends with the commit nor needs a decision. */
function goesOn(commit: PassCommit): boolean {
  return commit.next.kind !== 'finish' && statusOf(commit) !== 'needs_attention';
}

function count(ctx: EngineContext, { pass, next, steps }: PassCommit, row: CommittedRow): void {
  const tally = tallyOfWorkflow(ctx, pass);
  for (const { status, willRetry } of steps) {
    if (willRetry) tally.steps.retried += 1;
    else if (status === 'succeeded' || status === 'failed' || status === 'skipped') tally.steps[status] += 1;
  }
  if (next.kind !== 'finish' || row.kept) return;
  tally.ended[next.status] += 1;
  tally.duration.observe((row.now.getTime() - pass.startedAt.getTime()) / 1000);
}

/**
 * The frames as written, if they are known without a read: no frame was left out, added, or dated
 * by the database.
 */
function framesOf(commit: PassCommit, { seq, frames, dated, kept, paused }: CommittedRow): Frame[] {
  const { next, logs, steps } = commit;
  if (paused || (!kept && next.kind !== 'finish') || steps.some((step) => step.willRetry)) return [];
  const entries: Pick<Frame, 'kind' | 'payload'>[] = [
    ...logs.map((log) => ({ kind: 'log', payload: logPayload(log) }) as const),
    ...steps.map((step) => ({ kind: 'step_status', payload: stepPayload(step) }) as const),
  ];
  const status = kept ? undefined : statusOf(commit);
  const error = next.kind === 'finish' ? next.error : undefined;
  if (status) entries.push({ kind: 'run_status', payload: statusPayload(status, error) });
  if (entries.length !== frames) return [];
  return entries.map((entry, position) => ({ ...entry, ts: dated, seq: seq - frames + 1 + position }));
}

/** Whether a step has a deadline of its own: one of an approval, or of a model call. */
const hasDeadline = ({ steps }: PassCommit): boolean => steps.some(({ op }) => op === 'Approval' || op === 'Infer');

function wakesIn({ next, steps, pass }: PassCommit, now: Date): number {
  const due = steps.flatMap(({ runAfter }) => {
    if (!runAfter) return [];
    return 'inMs' in runAfter ? runAfter.inMs : runAfter.at.getTime() - now.getTime();
  });
  if (next.kind === 'retry') due.push(next.inMs);
  const known = pass.memo.dueAt(pass.dbNow, steps);
  if (known) due.push(known.getTime() - now.getTime());
  return Math.min(...due, Number.POSITIVE_INFINITY);
}
