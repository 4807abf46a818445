import { bigint, bool, rowset, statement, uuid } from '../../db/index.ts';

interface MovedRun {
  runId: string;
  seq: number | null;
  needsDecision: boolean;
}

/**
 * The runs that have frames after the given ones, with the number of their last frame; null if the
 * run has ended. Where it is asked for, also the runs that need a decision. Each run costs one
 * index look-up, and a second one for its decision, so one statement serves thousands of streams.
 */
export const findMovedRuns = statement<MovedRun>('findMovedRuns').reads({
  params: { watched: rowset({ runId: uuid, seq: bigint, awaitsDecision: bool }) },
  text: `
    select watched.run_id, run_work.seq, coalesce(run.status = 'needs_attention', false) as needs_decision
    from $watched as watched
    left join run_work on run_work.run_id = watched.run_id
    left join run on watched.awaits_decision and run.id = watched.run_id
    where run_work.run_id is null or run_work.seq > watched.seq or run.status = 'needs_attention'`,
});
