import { bigint, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

/** The scores that a run recorded with `Score` (4.10). */
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

/**
 * Scores of runs, in the order of their steps and bounded per run. Rides the unique index on the
 * run and its step.
 */
export const selectRunScores = statement<ScoreRow>('selectRunScores').reads({
  params: {
    projectId: uuid,
    runIds: uuid.list,
    /** Scores of each run, at most. */
    limit: bigint,
    /** Bytes to read at most. */
    maxBytes: bigint,
  },
  text: `
    select s.id, s.run_id, step.name as step, s.name, s.created_at, s.bytes,
      s.upto <= $maxBytes as is_read, case when s.upto <= $maxBytes then s.value::text else '' end as value,
      case when s.upto <= $maxBytes then s.data::text else '' end as data
    from (
      select sized.*, sum(sized.bytes) over (rows unbounded preceding) as upto
      from unnest($runIds) as wanted (run_id)
      cross join lateral (
        select score.*, octet_length(value::text) + octet_length(data::text) as bytes from score
        where score.run_id = wanted.run_id and score.project_id = $projectId
        order by step_index limit $limit
      ) sized
    ) s
    cross join lateral (
      select name from run_step where run_step.run_id = s.run_id and run_step.index = s.step_index limit 1
    ) step
    order by s.run_id, s.step_index
  `,
});
