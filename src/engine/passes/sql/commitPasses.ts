import { instant, statement } from '../../db/index.ts';
import { stepChangeSql, tellEndpointsSql } from '../../lifecycle/index.ts';
import {
  endedPayloadSql,
  pausedPayloadSql,
  stepPayloadSql,
  waitingPayloadSql,
  withNextAttemptSql,
  withUntilSql,
} from '../../timeline/index.ts';
import { endStepsSql } from '../../work/index.ts';
import { commitRows } from './commitRows.ts';

export interface CommittedRow {
  ord: number;
  /** Whether the lease stayed: the pass kept it, or it could not park. */
  kept: boolean;
  /** Whether a pause took effect: the run was released, whatever it wanted. */
  paused: boolean;
  wakes: number;
  /** The last frame written, and how many were. */
  seq: number;
  frames: number;
  /** Approvals that the end of the run cancelled. */
  withdrawn: string[] | null;
  now: Date;
  /**
   * The same instant rounded as `run_after` is, so that delays from it end at the stored time. The
   * statements of settled steps and ends omit it, because they write no delay.
   */
  delaysFrom?: Date;
  /** The instant of its frames, with their precision. */
  dated: Date;
}

/**
 * Writes what a batch of answers changes. The five commit statements are the only ones that make
 * results of steps durable; this one takes every kind of commit.
 *
 * - `locked` is the fence: only runs that are still leased under the named claim take part. They
 *   are locked first, in order of run.
 * - A log line that a former pass persisted is left out before frames are numbered, so `seq` has no
 *   hole. The order is: logs, steps, steps that the end of the run cancels, the run's status.
 * - `numbered` has one row more per run than there are frames. The extra row carries the change of
 *   the run, so no two of these sets need to be joined. The planner expects one row of each set,
 *   and would loop over the product.
 * - All steps settled here end at one instant, which dates their frames. Their start is computed
 *   back from it, so that frames and rows tell the same duration. A failure that is retried ends
 *   when the transaction began, as its delay counts from there.
 * - A later attempt among the commit's own steps keeps a retry from being withdrawn.
 * - A run that is to be paused stops here, and its model calls are not sent. `has_more` tells where
 *   it stands once it is resumed.
 * - A run that would park keeps its lease instead if something happened to it since its memo was
 *   read (`wakes`). `yields` says which commits do so: `Next` has the rule.
 */
export const commitPasses = statement<CommittedRow>('commitPasses').writes({
  params: { now: instant, ...commitRows },
  text: `
    with pass as (
      select * from $passes as p
    ),
    locked as (
      select w.run_id, w.seq, w.state, w.claim_no, w.started, w.wakes, w.project_id, p.ord, p.next, p.status, p.result, p.error, p.attempt,
        p.unanswered, p.repeats, p.has_open, p.new_attempt, p.has_outcome, w.pausing and p.next <> 'finish' as paused,
        not w.pausing and (p.next = 'keep' or (p.yields and w.wakes <> p.wakes)) as kept,
        p.next = 'keep' or (p.yields and w.wakes <> p.wakes) as has_more,
        case when p.next in ('park', 'retry') then least(p.due_at,
          $now + p.due_in_ms * interval '1 ms') end as due_at,
        case when p.next = 'retry' then $now + p.due_in_ms * interval '1 ms' end as retry_at,
        case when p.wait_at is null and p.wait_in_ms is null then p.waiting_for
          else ${withUntilSql('p.waiting_for', "coalesce(p.wait_at, $now + p.wait_in_ms * interval '1 ms')")} end as waiting_for
      from (select * from pass order by run_id offset 0) p
      cross join lateral (select * from run_work where run_id = p.run_id for update) w
      where w.lease_id = p.lease_id and w.claim_no = p.claim_no and w.state = 'leased'
    ),
    instant as materialized (
      select max($clock) as ended_at from locked
    ),
    step as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, run_after,
        will_retry, retry_withdrawn, event_name, child_run_id, started_at, ended_at)
      select l.run_id, s.index, s.attempt, s.step_id, s.name, s.op, s.status, s.input, s.output, s.error, s.ai, s.usage,
        coalesce(s.run_at, $now + s.run_in_ms * interval '1 ms'), s.will_retry, s.retry_withdrawn, s.event_name,
        s.child_run_id,
        case when s.status = 'waiting' or s.will_retry then $now else i.ended_at end
          - s.elapsed_ms * interval '1 ms',
        case when s.status in ('running', 'waiting') then null
          when s.will_retry then $now else i.ended_at end
      from $steps as s
      join locked l on l.ord = s.ord
      cross join instant i
      order by s.position
      on conflict (run_id, index, attempt) do nothing
      returning run_id, index, attempt, status, will_retry, ended_at
    ),
    wait as (
      insert into run_wait (run_id, step_index, term, project_id, event_name, event_if, match_path, match_value, created_at,
        since, looks_back)
      select l.run_id, t.step_index, 0, l.project_id, t.event_name, t.event_if, t.match_path, t.match_value,
        $now, t.since, t.since is not null
      from $waits as t
      join locked l on l.ord = t.ord
      on conflict do nothing
    ),
${endStepsSql({
  ended: "and l.next = 'finish' and l.has_open",
  isLast: 'and (l.ord, s.index) not in (select * from unnest($steps.ord, $steps.index))',
})},
${tellEndpointsSql(`${stepChangeSql('s', "case when s.paused then 'paused' when s.kept then 'running' else s.run_status end")}
      from (
        select step.*, l.project_id, l.paused, l.kept, l.status as run_status from step join locked l on l.run_id = step.run_id
        where step.status in ('succeeded', 'failed', 'skipped') and not step.will_retry
      ) s
      union all
      select project_id, run_id, 'run.' || status, status, null, null, (select ended_at from instant)
      from locked where next = 'finish'`)},
    halted as (
      update run r set status = 'paused', attempt = l.attempt
      from locked l where l.paused and r.id = l.run_id
      returning l.run_id, l.seq, ${pausedPayloadSql('r.paused_reason', 'r.paused_actor')} as payload
    ),
    set_aside as (
      update inference_call c set paused_at = coalesce(c.paused_at, $now) from locked l where l.paused and c.run_id = l.run_id
    ),
    entry as (
      select l.run_id, l.seq, f.position, f.kind, f.log_scope, f.log_attempt, f.log_index,
        case when f.retry_in_ms is null then f.payload
          else ${withNextAttemptSql('f.payload', "$now + f.retry_in_ms * interval '1 ms'")} end as payload,
        null::int as ord, null::text as next, null::bool as kept, null::bool as paused, null::bool as has_more,
        null::int as wakes, null::timestamptz as due_at, null::timestamptz as retry_at,
        null::int as unanswered, null::int as repeats, null::json as waiting_for
      from $frames as f
      join locked l on l.ord = f.ord
      where f.kind <> 'log' or not exists (
        select from run_frame o where o.kind = 'log' and o.run_id = l.run_id and o.log_scope = f.log_scope
          and o.log_attempt = f.log_attempt and o.log_index = f.log_index)
      union all
      select run_id, seq, 1000000 + index, 'step_status', null, null, null,
        ${stepPayloadSql},
        null, null, null, null, null, null, null, null, null, null, null
      from cancelled
      union all
      select run_id, seq, 2000000, 'run_status', null, null, null,
        case when next = 'finish' then ${endedPayloadSql('status', 'error')}
          else ${waitingPayloadSql('status', 'waiting_for')} end,
        null, null, null, null, null, null, null, null, null, null, null
      from locked where status is not null and not kept and not paused
      union all
      select run_id, seq, 2000000, 'run_status', null, null, null, payload,
        null, null, null, null, null, null, null, null, null, null, null
      from halted
      union all
      select run_id, seq, 3000000, null, null, null, null, null, ord, next, kept, paused, has_more, wakes, due_at,
        retry_at, unanswered, repeats, waiting_for
      from locked
    ),
    numbered as materialized (
      select *, seq + row_number() over (partition by run_id order by position) as number from entry
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload, log_scope, log_attempt, log_index)
      select run_id, number, kind, (select ended_at from instant), payload, log_scope, log_attempt, log_index
      from numbered where kind is not null
    ),
    carried as (
      update run_work w set
        seq = n.number - 1,
        claim_no = w.claim_no + 1,
        state = case when n.paused then 'paused' when n.kept then 'leased' else 'parked' end,
        pausing = false,
        resume_state = case when n.paused then case when n.has_more then 'ready' else 'parked' end end,
        lease_id = case when n.kept then w.lease_id end,
        due_at = case when n.kept then null else n.due_at end,
        retry_at = case when n.kept then null else n.retry_at end,
        waiting_for = n.waiting_for, waiting_claim_no = case when n.waiting_for is not null then w.claim_no + 1 end,
        unanswered = n.unanswered, repeats = n.repeats, transport_failures = n.unanswered - n.repeats
      from numbered n
      where n.kind is null and n.next <> 'finish' and w.run_id = n.run_id
    ),
    finished as (
      delete from run_work w using locked l where l.next = 'finish' and w.run_id = l.run_id
    ),
    outcome as (
      insert into run_outcome (run_id, created_at)
      select run_id, $now from locked where next = 'finish' and has_outcome
    ),
    shown as (
      update run r set
        status = case when l.kept then r.status else coalesce(l.status, r.status) end,
        attempt = l.attempt,
        result = case when l.next = 'finish' then l.result else r.result end,
        error = case when l.next = 'finish' then l.error else r.error end,
        ended_at = case when l.next = 'finish' then (select ended_at from instant) end,
        paused_reason = case when l.next = 'finish' then null else r.paused_reason end,
        paused_actor = case when l.next = 'finish' then null else r.paused_actor end
      from locked l
      where not l.paused and ((l.status is not null and not l.kept) or l.new_attempt) and r.id = l.run_id
    )
    select ord, kept, paused, wakes, number - 1 as seq, number - 1 - seq as frames,
      (select array_agg(w.id) from withdrawn w where w.run_id = n.run_id) as withdrawn,
      $now as now, $now::timestamptz(3) as delays_from, (select ended_at from instant)::timestamptz(3) as dated
    from numbered n where kind is null
  `,
});
