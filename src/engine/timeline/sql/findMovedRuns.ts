import { bigint, rowset, statement, uuid } from '../../db/index.ts';

/**
 * The runs that have frames after the given ones, with the number of their last frame; null if the
 * run has ended. Each run costs one index look-up, so one statement serves thousands of streams.
 */
export const findMovedRuns = statement<{ runId: string; seq: number | null }>('findMovedRuns').reads({
  params: { watched: rowset({ runId: uuid, seq: bigint }) },
  text: `
    select watched.run_id, run_work.seq
    from $watched as watched
    left join run_work on run_work.run_id = watched.run_id
    where run_work.run_id is null or run_work.seq > watched.seq`,
});
