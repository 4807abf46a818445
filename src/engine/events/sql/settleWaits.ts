import { instant, int, json, rowset, statement, uuid } from '../../db/index.ts';
import { stepChangeSql, tellEndpointsSql } from '../../lifecycle/index.ts';
import { statusPayloadSql, stepPayloadSql } from '../../timeline/index.ts';
import { backsOffSql, queuePosition } from '../../work/index.ts';

interface Row {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  laneId: number;
  becameReady: boolean;
  /**
   * The number of steps that the event settled. 0: others settled them first, but a claim may have
   * skipped the locked run.
   */
  steps: number;
}

/**
 * Ends the waits of runs for an event. Each step succeeds with the event as its result. Each run
 * becomes ready, unless it backs off. The event counts each run once, even if another page or
 * process ends the run's other waits.
 *
 * Locks `run_work` first, in order of run, like every change of a run. `run_step.status` decides
 * whether a wait still exists: a timeout, another event or the end of the run may have come first.
 * A wait that timed out before the event is not ended, even if its run was paused or executing
 * since then.
 *
 * `numbered` has one extra row per run, without a frame, which carries the change of the run.
 * `counted` must see the event's row as it is under its lock. So its other inputs come from
 * `heard`, which PostgreSQL evaluates once and does not read again.
 *
 * State, lease and gate come from `locked`, not from `w`. If a run changed since the statement
 * began, PostgreSQL first updates its old version, and checks constraints on that. For the same
 * reason, no condition on `run.status` is set: a mismatch of the old version would skip the run.
 * Deliveries tell the status by the locked state, because `run` is read as of the start.
 */
export const settleWaits = statement<Row>('settleWaits').writes({
  params: {
    eventId: uuid,
    /** JSON text of the memo that the handlers receive. */
    memo: json,
    now: instant,
    waits: rowset({ runId: uuid, stepIndex: int }),
  },
  text: `
    with locked as (
      select h.run_id, h.step_index, w.project_id, w.lane_id, w.seq, w.state, w.lease_id, w.gate,
        w.state = 'parked' and not w.backs_off as parked,
        case when w.state = 'paused' then case when w.backs_off then w.resume_state else 'ready' end end as resume_state
      from (
        select distinct * from $waits as h order by run_id offset 0
      ) h
      cross join lateral (
        select *, ${backsOffSql('run_work')} as backs_off
        from run_work where run_id = h.run_id for update
      ) w
    ),
    step as (
      update run_step s set status = 'succeeded', output = $memo, run_after = null,
        ended_at = $clock
      from locked l
      where s.run_id = l.run_id and s.index = l.step_index and s.status = 'waiting'
        and (s.run_after is null or s.run_after > (select received_at from event where id = $eventId))
      returning s.run_id, s.index, s.attempt, s.name, s.status, s.started_at, s.ended_at, l.project_id, l.seq, l.lane_id, l.state, l.lease_id,
        l.gate, l.parked, l.resume_state
    ),
    gone as (
      delete from run_wait w using step s where w.run_id = s.run_id and w.step_index = s.index
    ),
    woken as (
      select run_id, seq, lane_id, state, lease_id, gate, parked, resume_state, count(*) as steps
      from step group by 1, 2, 3, 4, 5, 6, 7, 8
    ),
    requeued as (
      update run r set status = 'queued' from woken n
      where n.parked and r.id = n.run_id
      returning r.id as run_id, n.seq
    ),
${tellEndpointsSql(`${stepChangeSql('step', "case when parked then 'queued' when state = 'paused' then 'paused' when state = 'leased' then 'running' end")}
      from step`)},
    entry as (
      select run_id, seq, index::bigint as position, 'step_status' as kind,
        ${stepPayloadSql} as payload,
        null::int as lane_id, null::text as state, null::uuid as lease_id, null::text as gate, null::bool as parked,
        null::text as resume_state, null::bigint as steps
      from step
      union all
      select run_id, seq, 3000000000, 'run_status', ${statusPayloadSql('queued')}, null, null, null, null, null, null, null from requeued
      union all
      select run_id, seq, 4000000000, null, null, lane_id, state, lease_id, gate, parked, resume_state, steps from woken
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
        state = case when n.parked then 'ready' else n.state end,
        lease_id = n.lease_id,
        gate = n.gate,
        resume_state = n.resume_state,
        due_at = case when n.parked then null else w.due_at end,
        position = case when n.parked
          then ${queuePosition('$clock', 'w.shift_ms')} else w.position end
      from numbered n
      where n.kind is null and w.run_id = n.run_id
    ),
    heard as (
      select array_agg(run_id) as run_ids from woken having count(*) > 0
    ),
    counted as (
      update event e set (woke, woke_runs) = (
        select e.woke + count(*), e.woke_runs || coalesce(array_agg(run_id order by run_id), '{}')
        from (select unnest(h.run_ids) except select unnest(e.woke_runs)) as fresh(run_id)
      )
      from heard h
      where e.id = $eventId
    )
    select n.run_id, r.project_id, r.app, r.workflow, n.lane_id, n.parked as became_ready, n.steps
    from numbered n join run r on r.id = n.run_id
    where n.kind is null
    union all
    select distinct l.run_id, r.project_id, r.app, r.workflow, l.lane_id, false, 0
    from locked l join run r on r.id = l.run_id
    where l.run_id not in (select run_id from step)
  `,
});
