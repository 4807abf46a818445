import { statement } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

interface Params {
  projectId: string;
  runIds: readonly string[];
  /** Scores of each run, at most. */
  limit: number;
  /** Bytes to read at most. */
  maxBytes: number;
}

/** What a run said of itself with `Score` (4.10). */
export interface ScoreRow extends Sized {
  id: string;
  runId: string;
  step: string;
  name: string;
  /** JSON text; empty where it was not read. */
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
    select s.id, s.run_id as "runId", step.name as step, s.name, s.created_at as "createdAt", s.bytes,
      s.upto <= $4 as "isRead", case when s.upto <= $4 then s.value::text else '' end as value,
      case when s.upto <= $4 then s.data::text else '' end as data
    from (
      select sized.*, sum(sized.bytes) over (rows unbounded preceding) as upto
      from unnest($1::uuid[]) as wanted (run_id)
      cross join lateral (
        select score.*, octet_length(value::text) + octet_length(data::text) as bytes from score
        where score.run_id = wanted.run_id and score.project_id = $2
        order by step_index limit $3
      ) sized
    ) s
    cross join lateral (
      select name from run_step where run_step.run_id = s.run_id and run_step.index = s.step_index limit 1
    ) step
    order by s.run_id, s.step_index
  `,
  values: ({ projectId, runIds, limit, maxBytes }) => [runIds, projectId, limit, maxBytes],
});
