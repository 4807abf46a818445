import { statement } from '../../db/statement.ts';

interface Params {
  eventId: string;
  /** JSON text of the memo that the handlers receive. */
  memo: string;
  waits: readonly { runId: string; stepIndex: number }[];
  now: Date | null;
}

interface Row {
  run_id: string;
  project_id: string;
  app: string;
  workflow: string;
  lane_id: number;
  /** The last frame written. */
  seq: number;
  became_ready: boolean;
  /** How many of its steps the event settled. */
  steps: number;
}

/**
 * Ends waits by an event: the step succeeds with the event as its result, the run becomes ready, the event counts it.
 *
 * Locks `run_work` first and in order of run, as everything does that changes a run. A wait that a time-out, another
 * event or the end of the run has taken meanwhile is not hit: `run_step.status` decides, once.
 */
export const settleWaits = statement<Params, Row>({
  name: 'settleWaits',
  writes: true,
  text: `
    with hit as (select distinct * from unnest($3::uuid[], $4::int[]) as h(run_id, step_index)),
    locked as (
      select w.run_id, w.state from run_work w
      where w.run_id in (select run_id from hit)
      order by w.run_id for update
    ),
    step as (
      update run_step s set status = 'succeeded', output = $2::json, run_after = null,
        ended_at = coalesce($5::timestamptz, now())
      from hit h join locked l on l.run_id = h.run_id
      where s.run_id = h.run_id and s.index = h.step_index and s.status = 'waiting'
      returning s.run_id, s.index, s.attempt, s.name, s.started_at, s.ended_at
    ),
    gone as (
      delete from run_wait w using step s where w.run_id = s.run_id and w.step_index = s.index
    ),
    woken as (
      select l.run_id, l.state = 'parked' as became_ready, count(*) as steps
      from locked l join step s on s.run_id = l.run_id group by 1, 2
    ),
    requeued as (
      update run r set status = 'queued' from woken n
      where r.id = n.run_id and n.became_ready and r.status in ('waiting', 'needs_attention')
      returning r.id
    ),
    work as (
      update run_work w set
        wakes = w.wakes + 1,
        seq = w.seq + n.steps + (case when q.id is null then 0 else 1 end),
        state = case when n.became_ready then 'ready' else w.state end,
        due_at = case when n.became_ready then null else w.due_at end,
        position = case when n.became_ready
          then (extract(epoch from coalesce($5::timestamptz, clock_timestamp())) * 1000000)::bigint else w.position end
      from woken n left join requeued q on q.id = n.run_id
      where w.run_id = n.run_id
      returning w.run_id, w.lane_id, w.seq, n.steps, q.id is not null as requeued, n.became_ready
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select s.run_id,
        k.seq - (case when k.requeued then 1 else 0 end) - k.steps + row_number() over (partition by s.run_id order by s.index),
        'step_status', s.ended_at,
        json_build_object('step', s.name, 'index', s.index, 'attempt', s.attempt, 'status', 'succeeded',
          'durationMs', round(extract(epoch from s.ended_at - s.started_at) * 1000))
      from step s join work k on k.run_id = s.run_id
      union all
      select k.run_id, k.seq, 'run_status', coalesce($5::timestamptz, now()), '{"status":"queued"}'
      from work k where k.requeued
    ),
    counted as (
      update event e set
        woke = e.woke + (select count(*) from step),
        woke_runs = e.woke_runs || (select coalesce(array_agg(run_id order by run_id), '{}') from woken)
      where e.id = $1 and exists (select from step)
    )
    select k.run_id, r.project_id, r.app, r.workflow, k.lane_id, k.seq, k.became_ready, k.steps
    from work k join run r on r.id = k.run_id
  `,
  values: ({ eventId, memo, waits, now }) => [
    eventId,
    memo,
    waits.map((each) => each.runId),
    waits.map((each) => each.stepIndex),
    now,
  ],
});
