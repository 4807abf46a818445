import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/statement.ts';
import { retryTransient } from '../db/transient.ts';
import { drawOutcomesSoon } from '../outcomes/index.ts';
import type { Frame } from '../timeline/frame.ts';
import { releaseRuns } from '../work/releaseRuns.ts';
import type { CommitOutcome, PassCommit } from './commit.ts';
import { hasOutcome, statusOf } from './consequences.ts';
import { logPayload, stepPayload } from './framePayload.ts';
import { type CommittedRow, commitPasses } from './sql/commitPasses.ts';
import { commitPlain, isPlain } from './sql/commitPlain.ts';

/** For how long a commit is tried while the database is away. Beyond it the lease is surely gone. */
const patienceMs = 60_000;

const batchers = new WeakMap<EngineContext, Batcher<PassCommit, CommitOutcome>>();

/** Writes one answer, together with others that arrive meanwhile. Durable when it resolves. */
export function commitPass(ctx: EngineContext, commit: PassCommit): Promise<CommitOutcome> {
  let batcher = batchers.get(ctx);
  if (!batcher) {
    const flush = (commits: PassCommit[]): Promise<CommitOutcome[]> => flushCommits(ctx, commits);
    batcher = new Batcher({ flush, maxItems: 100, maxInFlight: 2, maxQueued: 100_000 });
    batchers.set(ctx, batcher);
  }
  return batcher.add(commit);
}

/**
 * A connection that breaks during a commit leaves it unknown. The same commit is then tried again: its claim number tells
 * whether the first try got through. If it did, the run is still leased to us, and handed back to be read afresh.
 */
async function flushCommits(ctx: EngineContext, commits: PassCommit[]): Promise<CommitOutcome[]> {
  let uncertain = false;
  const rows = await retryTransient((tries) => {
    uncertain = tries > 0;
    return writeBatch(ctx, commits);
  }, patienceMs);
  const outcomes = outcomesOf(commits, rows);
  announceCommits(ctx, commits, rows);
  if (uncertain) await handBackLost(ctx, commits, outcomes);
  return outcomes;
}

/**
 * Plain commits take the short way. Those that it did not answer for (a lost lease, a pause to carry out) go the long way
 * with the rest, which decides about them.
 */
async function writeBatch(ctx: EngineContext, commits: PassCommit[]): Promise<CommittedRow[]> {
  const places = commits.map((_, ord) => ord);
  const plain = places.filter((ord) => isPlain(pick(commits, ord)));
  const answered =
    plain.length === 0 ? [] : await writeSome(plain, commits, (some) => commitPlain(ctx.db, at(ctx, some)));
  const done = new Set(answered.map((row) => row.ord));
  const left = places.filter((ord) => !done.has(ord));
  if (left.length === 0) return answered;
  return [...answered, ...(await writeSome(left, commits, (some) => commitPasses(ctx.db, at(ctx, some))))];
}

const at = (ctx: EngineContext, commits: readonly PassCommit[]) => ({ commits, now: ctx.clock.sql() });

/** Writes the commits at some places of a batch; the rows name those places. */
async function writeSome(
  ords: readonly number[],
  commits: readonly PassCommit[],
  write: (some: PassCommit[]) => Promise<CommittedRow[]>,
): Promise<CommittedRow[]> {
  const rows = await write(ords.map((ord) => pick(commits, ord)));
  return rows.map((row) => ({ ...row, ord: ords[row.ord] ?? row.ord }));
}

function pick(commits: readonly PassCommit[], ord: number): PassCommit {
  const commit = commits[ord];
  if (!commit) throw new Error('a batch has no such commit');
  return commit;
}

async function handBackLost(ctx: EngineContext, commits: PassCommit[], outcomes: CommitOutcome[]): Promise<void> {
  const lost = commits.filter((_, position) => outcomes[position]?.kind === 'lost');
  const [first] = lost;
  if (!first) return;
  await releaseRuns(
    ctx,
    first.pass.dispatcherId,
    lost.map((commit) => commit.pass.runId),
  );
}

/** Writes answers inside a transaction of the caller's, who announces them once it is committed. */
export const commitWithin = (
  ctx: EngineContext,
  db: Queryable,
  commits: readonly PassCommit[],
): Promise<CommittedRow[]> => commitPasses(db, { commits, now: ctx.clock.sql() });

/** What each commit came to, in order. One without a row had lost its lease. */
export function outcomesOf(commits: readonly PassCommit[], rows: readonly CommittedRow[]): CommitOutcome[] {
  const outcomes = commits.map((): CommitOutcome => ({ kind: 'lost' }));
  for (const row of rows) {
    outcomes[row.ord] = row.kept ? { kind: 'kept', wakes: row.wakes, now: row.now } : { kind: 'released' };
  }
  return outcomes;
}

/** Tells this process what was committed: streams have news, timers may be due sooner. */
export function announceCommits(
  ctx: EngineContext,
  commits: readonly PassCommit[],
  rows: readonly CommittedRow[],
): void {
  let soonest = Number.POSITIVE_INFINITY;
  const ended: string[] = [];
  for (const row of rows) {
    const commit = commits[row.ord];
    if (!commit) continue;
    const { projectId, runId, app, workflow } = commit.pass;
    if (row.frames > 0) ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: framesOf(commit, row) });
    for (const approvalId of row.withdrawn ?? []) ctx.bus.emit('approval.changed', { projectId, approvalId });
    if (hasOutcome(commit)) ended.push(runId);
    if (!row.kept && !row.paused && commit.next.kind === 'park') soonest = Math.min(soonest, wakesIn(commit, row.now));
  }
  if (Number.isFinite(soonest)) ctx.bus.emit('work.due', { inMs: Math.max(0, soonest) });
  if (ended.length > 0) drawOutcomesSoon(ctx, ended);
}

/** The frames as written, where that can be told without reading: none was left out, added or dated by the database. */
function framesOf(commit: PassCommit, { seq, frames, now, kept, paused }: CommittedRow): Frame[] {
  const { next, logs, steps } = commit;
  if (paused || steps.some((step) => step.willRetry)) return [];
  const entries: Pick<Frame, 'kind' | 'payload'>[] = [
    ...logs.map((log) => ({ kind: 'log', payload: logPayload(log) }) as const),
    ...steps.map((step) => ({ kind: 'step_status', payload: stepPayload(step) }) as const),
  ];
  if (!kept && next.kind !== 'keep') entries.push({ kind: 'run_status', payload: statusPayload(commit) });
  if (entries.length !== frames) return [];
  return entries.map((entry, position) => ({ ...entry, ts: now, seq: seq - frames + 1 + position }));
}

function statusPayload(commit: PassCommit): string {
  const { next } = commit;
  const error = next.kind === 'finish' && next.error !== undefined ? `,"error":${next.error}` : '';
  return `{"status":"${statusOf(commit)}"${error}}`;
}

function wakesIn({ next, steps, pass }: PassCommit, now: Date): number {
  const due = steps.flatMap(({ runAfter }) => {
    if (!runAfter) return [];
    return 'inMs' in runAfter ? runAfter.inMs : runAfter.at.getTime() - now.getTime();
  });
  if (next.kind === 'park' && next.dueInMs !== undefined) due.push(next.dueInMs);
  const known = pass.memo.dueAt(pass.dbNow, steps);
  if (known) due.push(known.getTime() - now.getTime());
  return Math.min(...due, Number.POSITIVE_INFINITY);
}
