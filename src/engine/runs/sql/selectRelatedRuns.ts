import { bigint, statement, uuid } from '../../db/index.ts';
import { type RunRow, runColumns } from '../reads/runRow.ts';

/** A run, and the run that it belongs to. */
export type RelatedRun = RunRow & { of: string };

const params = {
  projectId: uuid,
  /** The runs whose relatives are looked for. */
  ids: uuid.list,
  /** Relatives of each, at most. */
  limit: bigint,
};

/** Bounded per run, so that a list of runs with many relatives each stays small. */
const related = (column: string): string => `
  select ids.id as of, ${runColumns('r')}
  from unnest($ids) as ids (id)
  cross join lateral (
    select * from run
    where run.${column} = ids.id and run.project_id = $projectId
    order by run.created_at, run.id
    limit $limit
  ) r`;

/** Direct children of runs, oldest first. Rides the partial index on `parent_run_id`. */
export const selectChildRuns = statement<RelatedRun>('selectChildRuns').reads({
  params,
  text: related('parent_run_id'),
});

/** Runs forked from runs, oldest first. Rides the partial index on `replay_of`. */
export const selectReplayRuns = statement<RelatedRun>('selectReplayRuns').reads({
  params,
  text: related('replay_of'),
});

/** Runs that handle the failure of runs. Rides the partial index on `on_failure_of`. */
export const selectFailureHandlers = statement<RelatedRun>('selectFailureHandlers').reads({
  params,
  text: related('on_failure_of'),
});

/**
 * Runs that events of runs started, oldest first: the first 1000 events of each run. An event is
 * named by the result of its step, which the service wrote. Rides the primary key of steps, and the
 * partial index on `event_id`.
 */
export const selectStartedRuns = statement<RelatedRun>('selectStartedRuns').reads({
  params,
  text: `
  select ids.id as of, ${runColumns('r')}
  from unnest($ids) as ids (id)
  cross join lateral (
    select started.* from (
      select (s.output ->> 'eventId')::uuid as event_id from run_step s
      where s.run_id = ids.id and s.op = 'Emit' and s.status = 'succeeded'
      order by s.index, s.attempt limit 1000
    ) emitted
    join run started on started.event_id = emitted.event_id and started.project_id = $projectId
    order by started.created_at, started.id
    limit $limit
  ) r`,
});
