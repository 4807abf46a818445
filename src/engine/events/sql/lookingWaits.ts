import { bigint, float8, instant, int, statement, uuid } from '../../db/index.ts';

export interface LookingWait {
  runId: string;
  stepIndex: number;
  projectId: string;
  eventName: string;
  eventIf: string | null;
  since: Date;
}

/** The waits of runs for which the event log is still to be searched. */
export const lookingWaits = statement<LookingWait>('lookingWaits').reads({
  params: { runIds: uuid.list },
  text: `
    select run_id, step_index, project_id, event_name, event_if, since from run_wait
    where run_id = any($runIds) and looks_back
    order by run_id, step_index
  `,
});

/**
 * Runs whose process died before it searched the log for their waits. Rides
 * `run_wait_look_back_idx`, like each other question for such waits. A wait dated in the future
 * began before the clock was set back.
 */
export const listLooking = statement<{ runId: string; projectId: string }>('listLooking').reads({
  params: { olderThanMs: float8, limit: bigint, now: instant },
  text: `
    select run_id, project_id from run_wait
    where looks_back and (created_at < $now - $olderThanMs * interval '1 ms' or created_at > $now + interval '1 minute')
    order by created_at limit $limit
  `,
});

/**
 * Records that the log holds no event for a wait. From then on, events find the wait by themselves.
 * The lock of the run comes first, as in every change of a run.
 */
export const endLogSearch = statement<never>('endLogSearch').writes({
  params: { runId: uuid, stepIndex: int },
  text: `
    with locked as (select run_id from run_work where run_id = $runId for update)
    update run_wait w set looks_back = false
    from locked l
    where w.run_id = l.run_id and w.step_index = $stepIndex and w.looks_back
  `,
});
