import { statement } from '../../db/index.ts';

interface Params {
  projectId: string;
  runIds: readonly string[];
  reason: 'manual' | 'budget';
  /** Who asked; null where the service did by itself. */
  actor: string | null;
  now: Date | null;
}

export interface PausedRow {
  run_id: string;
  project_id: string;
  app: string;
  workflow: string;
  /** The slot that it was promised; null where it had none. */
  freed_slot: string | null;
  /** Whether it is in flight, and only marked. */
  was_leased: boolean;
}

/**
 * Pauses unfinished runs. One that nobody executes stops here and now, and remembers where it stood; one in flight is only
 * marked, and the commit of its pass stops it. `stranded_at` stays, for `resumeRuns`. A run that is paused, or marked, already is left alone and not answered; but a
 * pause of the budget's becomes that of the person who asks for one, so that no budget undoes it. The caller has locked the runs
 * (`lockRuns`) in the same transaction.
 */
export const pauseRuns = statement<Params, PausedRow>({
  name: 'pauseRuns',
  writes: true,
  text: `
    with locked as (
      select run_id, state, seq, slot from run_work
      where run_id = any($1::uuid[]) and project_id = $2 and state <> 'paused' and not pausing
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
        paused_reason = $3, paused_actor = $4
      from locked l
      where r.id = l.run_id
      returning r.id as run_id, r.project_id, r.app, r.workflow, l.seq, l.state, l.slot
    ),
    adopted as (
      update run r set paused_reason = $3, paused_actor = $4
      from run_work w
      where $3 = 'manual' and w.run_id = any($1::uuid[]) and w.project_id = $2 and (w.state = 'paused' or w.pausing)
        and r.id = w.run_id and r.paused_reason = 'budget'
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq + 1, 'run_status', coalesce($5::timestamptz, clock_timestamp()), json_build_object('status', 'paused',
        'pausedBy', json_strip_nulls(json_build_object('reason', $3::text, 'actor', $4::text)))
      from shown where state <> 'leased'
    )
    select run_id, project_id, app, workflow, case when state = 'ready' then slot::text end as freed_slot,
      state = 'leased' as was_leased
    from shown
  `,
  values: ({ projectId, runIds, reason, actor, now }) => [runIds, projectId, reason, actor, now],
});
