import type { OnTimeout } from '../../approvals/index.ts';
import { int, statement, uuid } from '../../db/index.ts';
import type { RunStatus } from '../../runs/index.ts';

/** A step that waits, with what it waits for. */
export interface OpenStep {
  runId: string;
  name: string;
  index: number;
  attempt: number;
  op: string;
  willRetry: boolean;
  runAfter: Date | null;
  startedAt: Date;
  endedAt: Date | null;
  /** JSON text, of a step that is tried again. */
  error: string | null;
  eventName: string | null;
  guard: string | null;
  /** Events that its guard refused, the newest first. */
  refusedIds: string[] | null;
  refusedAt: Date[] | null;
  childRunId: string | null;
  childStatus: RunStatus | null;
  approvalId: string | null;
  tool: string | null;
  risk: string | null;
  approvalStatus: string | null;
  onTimeout: OnTimeout | null;
  expiresAt: Date | null;
  /** The lane of its model call; null without one. */
  laneId: string | null;
  keyId: string | null;
  provider: string | null;
  model: string | null;
  nextSendAt: Date | null;
  deadlineAt: Date | null;
  isCapped: boolean | null;
  isInFlight: boolean | null;
}

/** Events of a name that are examined, the newest first. */
const maxEvents = 100;
const maxRefused = 3;

/**
 * The open steps of runs: approvals first, then in the order in which they end by themselves. Reads
 * all steps of a run, as only the primary key has them.
 *
 * An event that came during a wait with a guard, and whose waiters were woken, did not end the
 * wait. So the guard refused it.
 */
export const selectOpenSteps = statement<OpenStep>('selectOpenSteps').reads({
  params: {
    projectId: uuid,
    runIds: uuid.list,
    /** Steps of each run. */
    limit: int,
  },
  text: `
    select s.*, heard.event_if as guard, refused.ids as refused_ids, refused.times as refused_at,
      child.status as child_status,
      asked.id as approval_id, asked.tool, asked.risk, asked.status as approval_status, asked.on_timeout, asked.expires_at,
      call.lane_id, call.key_id, call.provider, call.model, call.due_at as next_send_at, call.deadline_at, call.is_capped,
      call.lease_id is not null as is_in_flight
    from unnest($runIds) as asking (run_id)
    cross join lateral (
      select run_id, name, index, attempt, op, will_retry, run_after, started_at, ended_at, event_name, child_run_id,
        case when will_retry then error::text end as error
      from run_step s
      where s.run_id = asking.run_id
        and (s.status = 'waiting' or (s.will_retry and not exists (select from run_step later
          where later.run_id = s.run_id and later.index = s.index and later.attempt > s.attempt)))
      order by s.op = 'Approval' and not s.will_retry desc, s.run_after nulls last, s.index
      limit $limit
    ) s
    left join lateral (
      select event_if, created_at from run_wait w
      where w.run_id = s.run_id and w.step_index = s.index
      order by w.term limit 1
    ) heard on s.op = 'WaitForEvent'
    left join lateral (
      select array_agg(id::text order by id desc) as ids, array_agg(received_at order by id desc) as times
      from (
        select id, received_at
        from (
          select id, received_at from event
          where project_id = $projectId and name = s.event_name
          order by id desc limit ${maxEvents}
        ) latest
        where received_at >= heard.created_at
          and not exists (select from event_pending where event_pending.event_id = latest.id)
        order by id desc limit ${maxRefused}
      ) came
    ) refused on heard.event_if is not null
    left join run child on child.id = s.child_run_id and child.project_id = $projectId
    left join approval asked on asked.run_id = s.run_id and asked.step_index = s.index and s.op = 'Approval'
    left join inference_call call on call.run_id = s.run_id and call.step_index = s.index and call.project_id = $projectId
    order by s.run_id, s.op = 'Approval' and not s.will_retry desc, s.run_after nulls last, s.index`,
});
