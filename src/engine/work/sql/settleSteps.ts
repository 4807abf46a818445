import { bool, float8, instant, int, json, rowset, statement, text, uuid } from '../../db/index.ts';
import { stepChangeSql, tellEndpointsSql } from '../../lifecycle/index.ts';
import { endedStepPayloadSql, statusPayloadSql } from '../../timeline/index.ts';
import { queuePosition } from './queuePosition.ts';

/**
 * SQL: whether a run backs off: its pass is sent again later. A step that settles meanwhile leaves
 * it parked, because the handler or the policy chose the delay. Only a decision ends the delay
 * (`isDecision`). A former version that parked the run since left `due_at` empty or later.
 */
export const backsOffSql = (row: string): string =>
  `coalesce(${row}.retry_at > $now and ${row}.due_at <= ${row}.retry_at, false)`;

/** The end of a parked step that no pass decided. Texts are JSON. */
export interface StepSettlement {
  runId: string;
  stepIndex: number;
  /** The only attempt that this may settle. Undefined if the step has just one. */
  attempt?: number | undefined;
  status: 'succeeded' | 'failed';
  output: string | undefined;
  error: string | undefined;
  /** The journal of a model call, and what it spent. Texts are JSON. */
  ai?: string | undefined;
  usage?: string | undefined;
  /** In how many ms the step is retried; undefined: never. */
  retryInMs: number | undefined;
  /** Whether this is the decision about an approval, or its deadline. */
  isDecision: boolean;
}

export interface SettledRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  laneId: number;
  becameReady: boolean;
  /** In how many ms a retry of these steps makes the parked run due; null: no retry does. */
  dueInMs: number | null;
}

/**
 * Settles parked steps from outside a pass: a child run ended, an approval was decided, or a model
 * answered. The run
 * becomes ready, or is due when the step is retried. A run that backs off stays parked, unless this
 * is a decision. Steps that are not parked any more are skipped.
 *
 * The caller has locked the runs (`lockRuns`) in the same transaction, so this statement sees the
 * last commit. The lateral look-up hides the run's id from the planner. With the id, it would look
 * up steps by that alone, and try all steps of a parent for each of its children.
 */
export const settleSteps = statement<SettledRow>('settleSteps').writes({
  params: {
    now: instant,
    settlements: rowset({
      runId: uuid,
      stepIndex: int,
      status: text,
      output: json.orNull,
      error: json.orNull,
      ai: json.orNull,
      usage: json.orNull,
      retryInMs: float8.orNull,
      attempt: int.orNull,
      isDecision: bool,
    }),
  },
  text: `
    with hit as (
      select * from $settlements as h
    ),
    step as (
      update run_step s set status = h.status, output = h.output, error = h.error, ai = h.ai, usage = h.usage,
        ended_at = case when h.retry_in_ms is null then $clock else $now end,
        will_retry = h.retry_in_ms is not null,
        run_after = $now + h.retry_in_ms * interval '1 ms'
      from hit h
      cross join lateral (
        select seq, lane_id, project_id, state, ${backsOffSql('run_work')} as backs_off from run_work where run_id = h.run_id offset 0
      ) w
      where s.run_id = h.run_id and s.index = h.step_index and s.attempt = coalesce(h.attempt, s.attempt) and s.status = 'waiting'
      returning s.run_id, s.index, s.attempt, s.name, s.status, s.error, s.will_retry, s.run_after, s.started_at, s.ended_at,
        w.project_id, w.seq, w.lane_id, w.state, w.backs_off and not h.is_decision as is_held
    ),
    woken as (
      select run_id, seq, lane_id, state = 'parked' as parked, bool_or(not will_retry and not is_held) as goes_on, min(run_after) as due_at
      from step group by run_id, seq, lane_id, state
    ),
    requeued as (
      update run r set status = 'queued' from woken n
      where n.parked and n.goes_on and r.id = n.run_id and r.status in ('waiting', 'needs_attention')
      returning r.id as run_id, n.seq
    ),
${tellEndpointsSql(`${stepChangeSql('step', "case when run_id in (select run_id from requeued) then 'queued' end")}
      from step where not will_retry`)},
    entry as (
      select run_id, seq, index::bigint as position, 'step_status' as kind,
        ${endedStepPayloadSql} as payload,
        null::int as lane_id, null::bool as parked, null::bool as goes_on, null::timestamptz as due_at
      from step
      union all
      select run_id, seq, 3000000000, 'run_status', ${statusPayloadSql('queued')}, null, null, null, null from requeued
      union all
      select run_id, seq, 4000000000, null, null, lane_id, parked, goes_on, due_at from woken
    ),
    numbered as materialized (
      select *, seq + row_number() over (partition by run_id order by position) as number from entry
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, number, kind, $clock, payload from numbered where kind is not null
    ),
    work as (
      update run_work w set
        wakes = w.wakes + 1,
        seq = n.number - 1,
        state = case when n.parked and n.goes_on then 'ready' else w.state end,
        resume_state = case when w.state = 'paused' then case when n.goes_on then 'ready' else w.resume_state end end,
        due_at = case when n.parked and n.goes_on then null
          when w.state in ('parked', 'paused') then least(w.due_at, n.due_at) else w.due_at end,
        -- A step that is retried has another wait than before.
        waiting_claim_no = case when n.due_at is null then w.waiting_claim_no end,
        position = case when n.parked and n.goes_on
          then ${queuePosition('$clock', 'w.shift_ms')} else w.position end
      from numbered n
      where n.kind is null and w.run_id = n.run_id
    )
    select n.run_id, r.project_id, r.app, r.workflow, n.lane_id, n.parked and n.goes_on as became_ready,
      (extract(epoch from n.due_at - $now) * 1000)::float8 as due_in_ms
    from numbered n join run r on r.id = n.run_id
    where n.kind is null
  `,
});
