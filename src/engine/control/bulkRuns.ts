import { recordControl } from '../audit/index.ts';
import { drawConsequencesSoon, endRuns } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { openStatuses, type RunFilter, terminalStatuses } from '../runs/index.ts';
import { fork } from './fork.ts';
import { type BulkFilter, checkBulkFilter, matchRuns } from './matchRuns.ts';
import type { ForkSource } from './planForks.ts';
import { requireActive } from './target.ts';

/** How many runs go into one transaction. */
const chunkSize = 100;

interface BulkCall<Filter> {
  projectId: string;
  actor: string | undefined;
  filter: Filter;
}

/** The outcome of a bulk call (4.6). All counts are of runs. */
export interface BulkOutcome {
  /** The entry of the audit log, which names the changed runs; undefined if it was not written. */
  id: string | undefined;
  /** All matches, also those beyond the ceiling; counted up to 100,000. */
  matched: number;
  done: number;
  /** Runs in a status that the call does not act on, even if it changed since the call began. */
  skipped: number;
  failed: number;
  failures: BulkFailure[];
  /** Whether more matched than one call acts on: call again. */
  capped: boolean;
}

/** How many runs failed for one reason. */
export interface BulkFailure {
  reason: string;
  count: number;
}

/**
 * Replays the newest of the finished runs that a filter selects, at most 1000 (4.6). A run whose
 * workflow is not registered any more counts as failed. Throws `invalid` without a filter, and
 * `suspended`.
 */
export async function bulkReplayRuns(ctx: EngineContext, call: BulkCall<BulkFilter>): Promise<BulkOutcome> {
  const { projectId } = call;
  await requireActive(ctx, projectId);
  const filter = checkBulkFilter(call.filter);
  const { runs, ...matches } = await matchRuns(ctx, projectId, filter, terminalStatuses);
  const tallies = await inChunks(ctx, runs, async (chunk) => {
    const { runs: made, skipped: withheld } = await fork(ctx, projectId, chunk);
    const failed = chunk.length - made.length - withheld;
    return { done: made.map(({ id }) => id), skipped: withheld, failed, reason: unregistered };
  });
  return conclude(ctx, 'bulk_replay', { call, filter, matches, tallies });
}

/**
 * Cancels the newest of the unfinished runs that a filter selects, at most 1000 (4.6), each with
 * its unfinished children. Throws `invalid` without a filter or on tags beyond their limits, and
 * `suspended`.
 */
export async function bulkCancelRuns(ctx: EngineContext, call: BulkCall<BulkFilter>): Promise<BulkOutcome> {
  const { projectId } = call;
  await requireActive(ctx, projectId);
  const filter = checkBulkFilter(call.filter);
  const { runs, ...matches } = await matchRuns(ctx, projectId, filter, openStatuses);
  const tallies = await inChunks(ctx, runs, async (chunk) => {
    const ends = chunk.map(({ id: runId }) => ({ runId, error: undefined }));
    const reason = 'the run was cancelled';
    const ended = await endRuns(ctx, { status: 'cancelled', ends, projectId, onlyStranded: false, reason });
    return { done: ended.map(({ runId }) => runId), skipped: chunk.length - ended.length, failed: 0 };
  });
  const cancelled = tallies.flatMap(({ done }) => done);
  // Last, because matching children would otherwise end before their turn, and count as skipped.
  if (cancelled.length > 0) drawConsequencesSoon(ctx, cancelled);
  return conclude(ctx, 'bulk_cancel', { call, filter, matches, tallies });
}

interface Tally {
  /** The runs that were made or cancelled. */
  done: string[];
  skipped: number;
  failed: number;
  /** Why the failed ones failed. */
  reason?: string;
}

const unregistered = 'the workflow is not registered';
const unexpected = 'internal error';

/** A failed chunk does not affect the others: their runs keep the change. */
async function inChunks(
  ctx: EngineContext,
  runs: readonly ForkSource[],
  act: (chunk: readonly ForkSource[]) => Promise<Tally>,
): Promise<Tally[]> {
  const tallies: Tally[] = [];
  for (let from = 0; from < runs.length; from += chunkSize) {
    const chunk = runs.slice(from, from + chunkSize);
    try {
      tallies.push(await act(chunk));
    } catch (error) {
      ctx.log.error({ error, runs: chunk.length }, 'chunk of a bulk call failed');
      tallies.push({ done: [], skipped: 0, failed: chunk.length, reason: unexpected });
    }
  }
  return tallies;
}

interface Concluded {
  call: BulkCall<unknown>;
  filter: RunFilter;
  matches: Pick<BulkOutcome, 'matched' | 'skipped' | 'capped'>;
  tallies: readonly Tally[];
}

/** Sums up a call, and records it with the runs that it changed. */
async function conclude(
  ctx: EngineContext,
  action: 'bulk_replay' | 'bulk_cancel',
  { call: { projectId, actor }, filter, matches, tallies }: Concluded,
): Promise<BulkOutcome> {
  const runIds = tallies.flatMap(({ done }) => done);
  const failures = failuresOf(tallies);
  const failed = failures.reduce((total, { count }) => total + count, 0);
  const skipped = tallies.reduce((total, tally) => total + tally.skipped, matches.skipped);
  const counts = { ...matches, skipped, failed };
  const done = { [action === 'bulk_replay' ? 'replayed' : 'cancelled']: runIds.length };
  const detail = { filter: shownFilter(filter), ...counts, ...done };
  const id = await recordControl(ctx, { projectId, action, actor, runIds, detail });
  return { ...counts, done: runIds.length, id, failures };
}

function failuresOf(tallies: readonly Tally[]): BulkFailure[] {
  const counts = new Map<string, number>();
  for (const { failed, reason = unexpected } of tallies) {
    if (failed > 0) counts.set(reason, (counts.get(reason) ?? 0) + failed);
  }
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

/** The filter in the audit log: tags as callers give them, and the number of the ids. */
const shownFilter = ({ tags, runIds, ...filter }: RunFilter): Record<string, unknown> => ({
  ...filter,
  ...(runIds && { runIds: runIds.length }),
  ...(tags && { tags: Object.fromEntries(tags.map(({ key, value }) => [key, value])) }),
});
