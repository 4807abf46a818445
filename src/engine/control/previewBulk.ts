import type { EngineContext } from '../context.ts';
import { openStatuses, type RunRow, type RunStatus, selectRunRows, terminalStatuses } from '../runs/index.ts';
import { readInstant } from '../timeline/index.ts';
import { type MatchCounts, matchCounts } from './matchCounts.ts';
import { type BulkFilter, type BulkMatches, checkBulkFilter, matchRuns } from './matchRuns.ts';
import { requireActive } from './target.ts';

/** The runs that a bulk call would act on now (5.7). */
export interface BulkPreview extends Omit<BulkMatches, 'runs'> {
  /** A call with this `until` acts on no run that was created after the preview. */
  until: Date;
  /** The runs that the call would act on, at most 1000. */
  count: number;
  /** The newest of them. */
  sample: RunRow[];
  /** All matches, counted as `matched` is. */
  byStatus: MatchCounts['byStatus'];
  byWorkflow: MatchCounts['byWorkflow'];
}

const sampleSize = 5;

/** The runs that `bulkReplayRuns` would act on. Throws as it does, and changes nothing. */
export const previewBulkReplay = (
  ctx: EngineContext,
  call: { projectId: string; filter: BulkFilter },
): Promise<BulkPreview> => preview(ctx, call, terminalStatuses);

/** What `bulkCancelRuns` would act on. Throws as it does, and changes nothing. */
export const previewBulkCancel = (
  ctx: EngineContext,
  call: { projectId: string; filter: BulkFilter },
): Promise<BulkPreview> => preview(ctx, call, openStatuses);

async function preview(
  ctx: EngineContext,
  { projectId, filter }: { projectId: string; filter: BulkFilter },
  statuses: readonly RunStatus[],
): Promise<BulkPreview> {
  await requireActive(ctx, projectId);
  const checked = checkBulkFilter(filter);
  const [present] = await readInstant(ctx.db, { now: ctx.clock.sql() });
  if (!present) throw new Error('the database has no time');
  const until = checked.until && checked.until < present.at ? checked.until : present.at;
  const bounded = { ...checked, until };
  const { runs, ...matches } = await matchRuns(ctx, projectId, bounded, statuses);
  const counts = await matchCounts(ctx, projectId, bounded);
  const ids = runs.slice(0, sampleSize).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await selectRunRows(ctx.db, { projectId, ids });
  const sample = ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  return { ...matches, ...counts, until, count: runs.length, sample };
}
