import { instant, statement, text, uuid } from '../../db/index.ts';
import { pausedPayloadSql } from '../../timeline/index.ts';

export interface PausedRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  /** The slot that was granted to it; null if it had none. */
  freedSlot: string | null;
  /** Whether it is executing, and only marked. */
  wasLeased: boolean;
}

/**
 * Pauses unfinished runs. A run without a lease stops at once, and keeps its state for later. A
 * leased run is only marked; the commit of its pass pauses it. `stranded_at` stays, for
 * `resumeRuns`. Model calls of a paused run are not sent. Runs that are paused or marked already
 * are skipped, and not answered. But a budget's pause becomes the pause of the person who asks for
 * one, so that no budget resumes it. The caller has locked the runs (`lockRuns`) in the same
 * transaction.
 */
export const pauseRuns = statement<PausedRow>('pauseRuns').writes({
  params: {
    runIds: uuid.list,
    projectId: uuid.orNull,
    reason: text.narrow<'manual' | 'budget'>(),
    /** The caller; null if the service itself pauses. */
    actor: text.orNull,
    now: instant,
  },
  text: `
    with locked as (
      select run_id, state, seq, slot from run_work
      where run_id = any($runIds) and project_id = $projectId and state <> 'paused' and not pausing
      order by run_id for update
    ),
    work as (
      update run_work w set
        pausing = l.state = 'leased',
        state = case when l.state = 'leased' then l.state else 'paused' end,
        resume_state = case when l.state = 'leased' then null when l.state = 'parked' then 'parked' else 'ready' end,
        due_at = case when l.state = 'parked' then w.due_at end,
        gate = null,
        seq = w.seq + case when l.state = 'leased' then 0 else 1 end
      from locked l
      where w.run_id = l.run_id
    ),
    shown as (
      update run r set
        status = case when l.state = 'leased' then r.status else 'paused' end,
        paused_reason = $reason, paused_actor = $actor
      from locked l
      where r.id = l.run_id
      returning r.id as run_id, r.project_id, r.app, r.workflow, l.seq, l.state, l.slot
    ),
    adopted as (
      update run r set paused_reason = $reason, paused_actor = $actor
      from run_work w
      where $reason = 'manual' and w.run_id = any($runIds) and w.project_id = $projectId and (w.state = 'paused' or w.pausing)
        and r.id = w.run_id and r.paused_reason = 'budget'
    ),
    uncalled as (
      update inference_call c set paused_at = $now from locked l where c.run_id = l.run_id and l.state <> 'leased'
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq + 1, 'run_status', $clock, ${pausedPayloadSql('$reason', '$actor')}
      from shown where state <> 'leased'
    )
    select run_id, project_id, app, workflow, case when state = 'ready' then slot::text end as freed_slot,
      state = 'leased' as was_leased
    from shown
  `,
});
