/**
 * SQL: the table expressions that end what is over at an instant of the runs in `runs` (`run_id`,
 * `seq`), whose rows of `run_work` are locked: sleeps end, waits time out. `step` holds what has
 * ended. What is over together ends in the order of its times, `place` by `place`, a microsecond
 * apart: memos are read by `ended_at`, and of two sleeps that race the shorter wins, however late
 * they are found.
 */
export const endingSteps = (runs: string): string => `
    over as materialized (
      select s.run_id, s.index, s.attempt, d.seq, row_number() over (partition by s.run_id order by s.run_after, s.index) as place
      from ${runs} d join run_step s on s.run_id = d.run_id
      where s.status = 'waiting' and s.run_after <= $now
    ),
    step as (
      update run_step s set status = 'succeeded', output = 'null', run_after = null,
        ended_at = (select $clock) + (o.place - 1) * interval '1 microsecond'
      from over o
      where s.run_id = o.run_id and s.index = o.index and s.attempt = o.attempt and s.status = 'waiting'
      returning s.run_id, s.index, s.attempt, s.name, s.status, s.started_at, s.ended_at, o.seq, o.place
    ),
    unawaited as (
      delete from run_wait w using step s where w.run_id = s.run_id and w.step_index = s.index
    )`;
