import { instant, statement } from '../../db/index.ts';

interface Row {
  workInMs: number | null;
  fireInMs: number | null;
  approvalInMs: number | null;
  flushInMs: number | null;
  endInMs: number | null;
  expireInMs: number | null;
  callInMs: number | null;
  hasGated: boolean;
  hasLeftovers: boolean;
  hasDeliveries: boolean;
  hasCalls: boolean;
  hasSilent: boolean;
}

/** The silence of a process after which a scheduler asks whether it died, in ms. */
const longSilenceMs = 60_000;

/**
 * The ms until the next parked or stranded run, cron schedule, approval deadline, buffer, end of a
 * run (`maxDuration`), expiry of a start (`ttl`) and deadline of a waiting model call is due, by
 * the database's clock; null if none is. Also whether a run is gated, by an ordered look-up, so
 * that the planner does not scan the table. Also whether an event, a wait that looks back, or an
 * ended run may have unfinished work (see `hasLeftovers`), whether webhook deliveries and model
 * calls are due or under way, and whether a process that calls models is silent. All is one
 * statement, because an idle service repeats it.
 */
export const nextDue = statement<Row>('nextDue').reads({
  params: { now: instant },
  text: `
    select
      (extract(epoch from (
        select min(due_at) from run_work where state in ('parked', 'stranded') and due_at is not null
      ) - $now) * 1000)::float8 as work_in_ms,
      (extract(epoch from (
        select min(next_fire_at) from cron_schedule
      ) - $now) * 1000)::float8 as fire_in_ms,
      (extract(epoch from (
        select min(expires_at) from approval where status = 'pending' and expires_at is not null
      ) - $now) * 1000)::float8 as approval_in_ms,
      (extract(epoch from (
        select min(due) from (
          select min(flush_at) as due from flow_buffer where policy = 'debounce'
          union all
          select min(flush_at) from flow_buffer where policy = 'batch'
        ) first_of_each
      ) - $now) * 1000)::float8 as flush_in_ms,
      (extract(epoch from (
        select min(ends_at) from run_work where ends_at is not null
      ) - $now) * 1000)::float8 as end_in_ms,
      (extract(epoch from (
        select min(expires_at) from run_work where expires_at is not null and claim_no = 0
      ) - $now) * 1000)::float8 as expire_in_ms,
      (extract(epoch from (
        select min(deadline_at) from inference_call where paused_at is null and lease_id is null
      ) - $now) * 1000)::float8 as call_in_ms,
      (select gate from run_work where state = 'gated' order by gate, slot, position, run_id limit 1) is not null as has_gated,
      exists (select from event_pending) or exists (select from run_outcome)
        or (select created_at from run_wait where looks_back order by created_at limit 1) is not null as has_leftovers,
      exists (select from webhook_work where lease_id is null and due_at <= $now)
        or exists (select from webhook_work where lease_id is not null) as has_deliveries,
      coalesce((select min(due_at) from inference_call where lease_id is null and paused_at is null and not looks_up) <= $now, false)
        or coalesce((select min(due_at) from inference_call where lease_id is null and paused_at is null and looks_up) <= $now, false)
        or (select lease_id from inference_call where lease_id is not null order by key_id, lane_id, project_id limit 1) is not null
        or (select process_id from inference_send where outcome is null order by process_id limit 1) is not null as has_calls,
      exists (
        select from inference_process where heartbeat_at < $now - ${longSilenceMs} * interval '1 ms'
      ) as has_silent
  `,
});
