import { statement } from '../../db/statement.ts';

interface Params {
  projectId: string;
  runIds: readonly string[];
  /** Scores of each run, at most. */
  limit: number;
}

/** What a run said of itself with `Score` (4.10). */
export interface ScoreRow {
  id: string;
  runId: string;
  step: string;
  name: string;
  /** JSON text. */
  value: string;
  /** JSON text of the whole score, `name` and `value` included. */
  data: string;
  createdAt: Date;
}

/** Scores of runs, in the order of their steps and bounded per run. Rides the unique index on the run and its step. */
export const selectRunScores = statement<Params, ScoreRow>({
  name: 'selectRunScores',
  writes: false,
  text: `
    select s.id, s.run_id as "runId", step.name as step, s.name, s.value, s.data, s.created_at as "createdAt"
    from unnest($1::uuid[]) as wanted (run_id)
    cross join lateral (
      select * from score
      where score.run_id = wanted.run_id and score.project_id = $2
      order by step_index limit $3
    ) s
    cross join lateral (
      select name from run_step where run_step.run_id = s.run_id and run_step.index = s.step_index limit 1
    ) step
    order by s.run_id, s.step_index
  `,
  values: ({ projectId, runIds, limit }) => [runIds, projectId, limit],
});
