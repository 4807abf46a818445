import { instant, statement, text, uuid } from '../../db/index.ts';
import { waitingPayloadSql } from '../../timeline/index.ts';
import { queuePosition } from './queuePosition.ts';
import { backsOffSql } from './settleSteps.ts';

export interface ResumedRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  laneId: number;
  /** Whether it can be claimed now. */
  isReady: boolean;
  /** In how many ms the run, parked again, is due; null when it waits for no time. */
  dueInMs: number | null;
}

/**
 * Resumes paused runs in their former state, or withdraws a pause that has not taken effect. Other
 * runs are skipped, and not answered. The caller has locked the runs (`lockRuns`) in the same
 * transaction, so this sees what arrived during the pause. The caller then wakes due runs
 * (`wakeIfDue`), by the same instant and under the same lock. So the journal of a run that
 * continues has the end of its waits and `queued`, and no `waiting`. A wait for a runner
 * (`stranded_at`) does not count the pause, whose start is the last status in the journal.
 */
export const resumeRuns = statement<ResumedRow>('resumeRuns').writes({
  params: {
    runIds: uuid.list,
    projectId: uuid,
    now: instant,
    /** Only runs that are paused for this reason. */
    onlyReason: text.narrow<'budget'>().orNull,
  },
  text: `
    with locked as (
      select run_id, lane_id, state, resume_state, due_at, seq,
        case when resume_state = 'parked' and waiting_claim_no = claim_no then waiting_for end as waiting_for,
        state = 'paused' and coalesce(resume_state = 'parked' and due_at <= $now and not ${backsOffSql('run_work')}, false)
          and (select started_at is not null from run where run.id = run_work.run_id) as is_woken
      from run_work
      where run_id = any($runIds) and project_id = $projectId and (state = 'paused' or pausing)
        and ($onlyReason is null or run_id in (select id from run where id = any($runIds) and paused_reason = $onlyReason))
      order by run_id for update
    ),
    work as (
      update run_work w set
        pausing = false,
        state = coalesce(l.resume_state, l.state),
        resume_state = null,
        stranded_at = case when w.stranded_at is not null then w.stranded_at + ($now - (
          select f.ts from run_frame f where f.run_id = w.run_id and f.kind = 'run_status' order by f.seq desc limit 1)) end,
        due_at = case when l.resume_state = 'parked' then l.due_at end,
        position = case when l.resume_state = 'ready'
          then ${queuePosition('$clock', 'w.shift_ms')} else w.position end,
        seq = w.seq + case when l.state = 'paused' and not l.is_woken then 1 else 0 end
      from locked l
      where w.run_id = l.run_id
    ),
    called as (
      update inference_call c set paused_at = null, deadline_at = c.deadline_at + ($now - c.paused_at)
      from locked l where c.run_id = l.run_id and c.paused_at is not null
    ),
    shown as (
      update run r set
        status = case
          when l.state <> 'paused' then r.status
          when l.resume_state = 'ready' or r.started_at is null then 'queued'
          when exists (select from run_step s where s.run_id = l.run_id and s.op = 'Approval' and s.status = 'waiting')
            then 'needs_attention'
          else 'waiting' end,
        paused_reason = null, paused_actor = null
      from locked l
      where r.id = l.run_id
      returning r.id as run_id, r.project_id, r.app, r.workflow, r.status, l.lane_id, l.state, l.resume_state, l.due_at, l.seq,
        l.is_woken, case when r.status <> 'queued' then l.waiting_for end as waiting_for
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq + 1, 'run_status', $clock, ${waitingPayloadSql('status', 'waiting_for')}
      from shown where state = 'paused' and not is_woken
    )
    select run_id, project_id, app, workflow, lane_id, resume_state is not distinct from 'ready' as is_ready,
      case when resume_state = 'parked'
        then (extract(epoch from due_at - $now) * 1000)::float8 end as due_in_ms
    from shown
  `,
});
