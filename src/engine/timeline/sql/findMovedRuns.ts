import { statement } from '../../db/index.ts';

/**
 * Of the given runs, those that have frames after the given ones, with the number of their last; null when the run has
 * ended. One index look-up per run, so that thousands of streams are looked after with one statement.
 */
export const findMovedRuns = statement<
  { runIds: readonly string[]; seqs: readonly number[] },
  { runId: string; seq: number | null }
>({
  name: 'findMovedRuns',
  writes: false,
  text: `
    select watched.run_id as "runId", run_work.seq
    from unnest($1::uuid[], $2::bigint[]) as watched (run_id, seq)
    left join run_work on run_work.run_id = watched.run_id
    where run_work.run_id is null or run_work.seq > watched.seq`,
  values: ({ runIds, seqs }) => [runIds, seqs],
});
