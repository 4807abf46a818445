import { bigint, int, statement, uuid } from '../../db/index.ts';
import { statusCountsSql } from '../status.ts';

/** Levels of parents that are climbed at most. */
const maxLevels = 1000;

/** The run at the top of the parents of each run. Climbs the primary key. */
export const selectRootRuns = statement<{ of: string; id: string }>('selectRootRuns').reads({
  params: { projectId: uuid, ids: uuid.list },
  text: `with recursive parent as (
           select id as of, id, parent_run_id, 0 as level from run where id = any($ids) and project_id = $projectId
           union all
           select parent.of, r.id, r.parent_run_id, parent.level + 1
           from parent join run r on r.id = parent.parent_run_id and r.project_id = $projectId
           where parent.level < ${maxLevels}
         )
         select distinct on (of) of, id from parent order by of, level desc`,
});

/**
 * The events of batches, in order. An element of `run.events` begins with the id of its event: a
 * strange text behind it may hold what PostgreSQL cannot decode.
 */
export const selectBatchEvents = statement<{ runId: string; eventId: string }>('selectBatchEvents').reads({
  params: {
    projectId: uuid,
    ids: uuid.list,
    /** Events of each run, at most. */
    limit: bigint,
  },
  text: `select ids.id as run_id, e.event_id
         from unnest($ids) as ids (id)
         cross join lateral (
           select substring(left(told.entry::text, 60) from '^\\{"id":"([0-9a-f-]{36})"')::uuid as event_id, told.nth
           from run cross join lateral json_array_elements(run.events) with ordinality as told (entry, nth)
           where run.id = ids.id and run.project_id = $projectId
           order by told.nth limit $limit
         ) e
         where e.event_id is not null
         order by ids.id, e.nth`,
});

export interface ChildCounts {
  runId: string;
  /** Numbers by status, as JSON text. */
  byStatus: string;
  total: number;
}

/** Children of runs by status, at most so many. Rides the partial index on `parent_run_id`. */
export const countChildRuns = statement<ChildCounts>('countChildRuns').reads({
  params: {
    projectId: uuid,
    ids: uuid.list,
    /** Children of each run to count, at most. */
    limit: int,
  },
  text: `select ids.id as run_id, c.by_status, c.total
         from unnest($ids) as ids (id)
         cross join lateral (
           select ${statusCountsSql} as by_status, count(*)::int as total
           from (
             select status from run where run.parent_run_id = ids.id and run.project_id = $projectId limit $limit
           ) child
         ) c`,
});
