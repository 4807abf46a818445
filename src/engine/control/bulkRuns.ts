import { recordControl } from '../audit/index.ts';
import { drawConsequencesSoon, endRuns } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { openStatuses, type RunFilter, terminalStatuses } from '../runs/index.ts';
import { fork } from './fork.ts';
import { type BulkFilter, cancelFilters, checkBulkFilter, matchRuns, replayFilters } from './matchRuns.ts';
import type { ForkSource } from './planForks.ts';
import { requireActive } from './target.ts';

/** How many runs go into one transaction. */
const chunkSize = 100;

interface BulkCall<Filter> {
  projectId: string;
  actor: string | undefined;
  filter: Filter;
}

/** The outcome of a bulk call (4.6), in runs. */
export interface BulkCounts {
  /** All matches, also those beyond the ceiling; counted up to 100,000. */
  matched: number;
  done: number;
  /** Runs in a status that the call does not act on, even if it changed since the call began. */
  skipped: number;
  failed: number;
  /** Whether more matched than one call acts on: call again. */
  capped: boolean;
}

/**
 * Replays the newest of the finished runs that a filter selects, at most 1000 (4.6). A run whose
 * workflow is not registered any more counts as failed. Throws `invalid` without a filter, and
 * `suspended`.
 */
export async function bulkReplayRuns(
  ctx: EngineContext,
  call: BulkCall<Omit<BulkFilter, 'tags'>>,
): Promise<BulkCounts> {
  const { projectId } = call;
  await requireActive(ctx, projectId);
  const filter = checkBulkFilter(call.filter, replayFilters);
  const { runs, ...matches } = await matchRuns(ctx, projectId, filter, terminalStatuses);
  const tally = await inChunks(ctx, runs, async (chunk) => {
    const { runs: made, skipped: withheld } = await fork(ctx, projectId, chunk);
    return { done: made.length, skipped: withheld, failed: chunk.length - made.length - withheld };
  });
  return conclude(ctx, 'bulk_replay', call, filter, { ...matches, ...sum(tally, matches.skipped) });
}

/**
 * Cancels the newest of the unfinished runs that a filter selects, at most 1000 (4.6), each with
 * its unfinished children. Throws `invalid` without a filter or on tags beyond their limits, and
 * `suspended`.
 */
export async function bulkCancelRuns(ctx: EngineContext, call: BulkCall<BulkFilter>): Promise<BulkCounts> {
  const { projectId } = call;
  await requireActive(ctx, projectId);
  const filter = checkBulkFilter(call.filter, cancelFilters);
  const { runs, ...matches } = await matchRuns(ctx, projectId, filter, openStatuses);
  const cancelled: string[] = [];
  const tally = await inChunks(ctx, runs, async (chunk) => {
    const ends = chunk.map(({ id: runId }) => ({ runId, error: undefined }));
    const reason = 'the run was cancelled';
    const ended = await endRuns(ctx, { status: 'cancelled', ends, projectId, onlyStranded: false, reason });
    cancelled.push(...ended.map((row) => row.runId));
    return { done: ended.length, skipped: chunk.length - ended.length, failed: 0 };
  });
  // Last, because matching children would otherwise end before their turn, and count as skipped.
  if (cancelled.length > 0) drawConsequencesSoon(ctx, cancelled);
  return conclude(ctx, 'bulk_cancel', call, filter, { ...matches, ...sum(tally, matches.skipped) });
}

type Tally = Pick<BulkCounts, 'done' | 'skipped' | 'failed'>;

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
      tallies.push({ done: 0, skipped: 0, failed: chunk.length });
    }
  }
  return tallies;
}

const sum = (tallies: readonly Tally[], skipped: number): Tally =>
  tallies.reduce(
    (total, each) => ({
      done: total.done + each.done,
      skipped: total.skipped + each.skipped,
      failed: total.failed + each.failed,
    }),
    { done: 0, skipped, failed: 0 },
  );

async function conclude(
  ctx: EngineContext,
  action: 'bulk_replay' | 'bulk_cancel',
  { projectId, actor }: BulkCall<unknown>,
  { tags, ...filter }: RunFilter,
  counts: BulkCounts,
): Promise<BulkCounts> {
  const { done, ...others } = counts;
  const shown = tags ? { ...filter, tags: Object.fromEntries(tags.map(({ key, value }) => [key, value])) } : filter;
  const outcome = { ...others, [action === 'bulk_replay' ? 'replayed' : 'cancelled']: done };
  await recordControl(ctx, { projectId, action, actor, detail: { filter: shown, ...outcome } });
  return counts;
}
