import { statement } from '../../db/index.ts';
import { type RunRow, runColumns } from '../reads/runRow.ts';

export interface RelatedRunsParams {
  projectId: string;
  /** The runs whose relatives are looked for. */
  ids: readonly string[];
  /** Relatives of each, at most. */
  limit: number;
}

/** A run, and the run that it belongs to. */
export type RelatedRun = RunRow & { of: string };

/** Bounded per run, so that a list of runs with many relatives each stays small. */
const related = (column: string): string => `
  select ids.id as of, ${runColumns('r')}
  from unnest($1::uuid[]) as ids (id)
  cross join lateral (
    select * from run
    where run.${column} = ids.id and run.project_id = $2
    order by run.created_at, run.id
    limit $3
  ) r`;

const values = ({ projectId, ids, limit }: RelatedRunsParams): unknown[] => [ids, projectId, limit];

/** Direct children of runs, oldest first. Rides the partial index on `parent_run_id`. */
export const selectChildRuns = statement<RelatedRunsParams, RelatedRun>({
  name: 'selectChildRuns',
  writes: false,
  text: related('parent_run_id'),
  values,
});

/** Runs forked from runs, oldest first. Rides the partial index on `replay_of`. */
export const selectReplayRuns = statement<RelatedRunsParams, RelatedRun>({
  name: 'selectReplayRuns',
  writes: false,
  text: related('replay_of'),
  values,
});
