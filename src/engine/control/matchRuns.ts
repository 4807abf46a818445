import { isLongerThan, maxNameLength } from '../codePoints.ts';
import type { EngineContext } from '../context.ts';
import { readRows } from '../db/index.ts';
import { invalid } from '../errors.ts';
import { parseTags, type RunFilter, type RunStatus, runConditions } from '../runs/index.ts';
import type { ForkSource } from './planForks.ts';

/** How many runs one bulk call may act on (4.6). */
export const bulkCeiling = 1000;

/** The count of matches stops here. */
export const maxCounted = 100_000;

/**
 * The filter of a bulk call: that of lists, its tags as an object. An empty field counts as absent;
 * one field at least must be given.
 */
export type BulkFilter = Omit<RunFilter, 'tags'> & { tags?: unknown };

/**
 * Throws `invalid` on a filter that selects everything, on texts and tags beyond their limits, and
 * on more `runIds` than one call acts on.
 */
export function checkBulkFilter({ tags, status, ...given }: BulkFilter): RunFilter {
  const parsed = parseTags(tags);
  const { runIds } = given;
  if (runIds && runIds.length > bulkCeiling) throw invalid(`runIds may hold at most ${bulkCeiling} ids`);
  for (const [name, value] of Object.entries(given))
    if ([value].flat().some((each) => typeof each === 'string' && isLongerThan(each, maxNameLength)))
      throw invalid(`${name} is longer than ${maxNameLength} characters`);
  const filter: RunFilter = {
    ...given,
    status: status === 'all' ? undefined : status,
    tags: parsed && Object.entries(parsed).map(([key, value]) => ({ key, value })),
  };
  // `deep` widens `q`. Without `rootOnly`, nothing is left out.
  const { deep, ...others } = filter;
  const selecting = { ...others, rootOnly: others.rootOnly || undefined };
  if (!Object.values(selecting).some(selects)) {
    throw invalid('a bulk call needs at least one filter, such as workflow, status, since, errorGroup or runIds');
  }
  // Nothing was chosen, so the other filters must not choose for the caller.
  if (runIds?.length === 0) throw invalid('runIds must hold at least one id');
  return Object.fromEntries(Object.entries({ ...selecting, deep }).filter(([, value]) => selects(value)));
}

const selects = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';

export interface BulkMatches {
  /** The newest of the matches that can be acted on, at most `bulkCeiling`. */
  runs: ForkSource[];
  /** All matches; counted up to 100,000. */
  matched: number;
  /** Matches in another status than those acted on. */
  skipped: number;
  /** Whether more could be acted on than `runs` holds. */
  capped: boolean;
}

interface Row extends ForkSource {
  counted: number;
  eligible: number;
}

/**
 * Runs that match a filter and have one of the statuses, newest first. All is one statement, so
 * that list and counts agree. A walk per status rides `run (project_id, status, created_at, id)`.
 */
export async function matchRuns(
  ctx: EngineContext,
  projectId: string,
  filter: RunFilter,
  statuses: readonly RunStatus[],
): Promise<BulkMatches> {
  const where = runConditions(projectId, filter);
  if (where.impossible) return { runs: [], matched: 0, skipped: 0, capped: false };
  const wanted = `${where.parameter(statuses)}::text[]`;
  const limit = bulkCeiling + 1;
  const text = `
    with picked as (
      select r.* from unnest(${wanted}) as each (status)
      cross join lateral (
        select id, app, workflow, runner, on_failure_of, created_at from run where run.status = each.status and ${where.text}
        order by run.created_at desc, run.id desc limit ${limit}
      ) r
      order by r.created_at desc, r.id desc limit ${limit}
    ),
    counts as (
      select count(*)::int as counted, (count(*) filter (where status = any(${wanted})))::int as eligible
      from (select run.status from run where ${where.text} limit ${maxCounted}) seen
    )
    select picked.id, picked.app, picked.workflow, picked.runner, picked.on_failure_of, counts.counted, counts.eligible
    from counts left join picked on true
    order by picked.created_at desc, picked.id desc`;
  return summary(await readRows<Row>(ctx.db, { text, values: where.values }));
}

function summary(rows: readonly Row[]): BulkMatches {
  const { counted = 0, eligible = 0 } = rows[0] ?? {};
  // Without a match there is one row, which holds only counts.
  const found = rows.filter(({ id }) => id !== null);
  const runs = found.slice(0, bulkCeiling);
  const skipped = counted - eligible;
  return { runs, skipped, matched: Math.max(eligible, found.length) + skipped, capped: found.length > runs.length };
}
