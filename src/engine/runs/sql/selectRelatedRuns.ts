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
