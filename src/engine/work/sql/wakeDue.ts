import { statement } from '../../db/statement.ts';

interface Row {
  run_id: string;
  project_id: string;
  app: string;
  workflow: string;
  lane_id: number;
}

/**
 * Wakes parked runs whose time has come, the longest overdue first: sleeps end, waits time out, retries may go. Rides
 * `run_work_due_idx`. A wait that an event ends at the same moment is decided by `run_step.status`, under the lock of
 * `run_work` that both take first.
 */
export const wakeDue = statement<{ limit: number; now: Date | null }, Row>({
  name: 'wakeDue',
  writes: true,
  text: `
    with due as materialized (
      select run_id from run_work
      where state in ('parked', 'stranded') and state = 'parked' and due_at is not null
        and due_at <= coalesce($2::timestamptz, now())
      order by due_at limit $1
      for update skip locked
    ),
    step as (
      update run_step s set status = 'succeeded', output = 'null', run_after = null,
        ended_at = coalesce($2::timestamptz, now())
      from due d
      where s.run_id = d.run_id and s.status = 'waiting' and s.run_after <= coalesce($2::timestamptz, now())
      returning s.run_id, s.index, s.attempt, s.name, s.started_at, s.ended_at
    ),
    unawaited as (
      delete from run_wait w using step s where w.run_id = s.run_id and w.step_index = s.index
    ),
    requeued as (
      update run r set status = 'queued' from due d
      where r.id = d.run_id and r.status in ('waiting', 'needs_attention')
      returning r.id, r.project_id, r.app, r.workflow
    ),
    settled as (select run_id, count(*) as steps from step group by run_id),
    work as (
      update run_work w set state = 'ready', due_at = null,
        position = (extract(epoch from coalesce($2::timestamptz, clock_timestamp())) * 1000000)::bigint,
        seq = w.seq + coalesce(t.steps, 0) + (case when q.id is null then 0 else 1 end)
      from due d left join settled t on t.run_id = d.run_id left join requeued q on q.id = d.run_id
      where w.run_id = d.run_id
      returning w.run_id, w.lane_id, w.seq, coalesce(t.steps, 0) as steps, q.id is not null as requeued
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
      select k.run_id, k.seq, 'run_status', coalesce($2::timestamptz, now()), '{"status":"queued"}'
      from work k where k.requeued
    )
    select k.run_id, r.project_id, r.app, r.workflow, k.lane_id
    from work k join run r on r.id = k.run_id
  `,
  values: ({ limit, now }) => [limit, now],
});
