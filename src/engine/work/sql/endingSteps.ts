import { stepDurationSql } from '../../runs/stepDuration.ts';

/**
 * SQL: the table expressions that end what is over at an instant of the runs in `runs` (`run_id`, `seq`), whose rows of `run_work` are
 * locked: sleeps end, waits time out. `step` holds what has ended.
 */
export const endingSteps = (runs: string, now: string): string => `
    step as (
      update run_step s set status = 'succeeded', output = 'null', run_after = null,
        ended_at = coalesce(${now}::timestamptz, clock_timestamp())
      from ${runs} d
      where s.run_id = d.run_id and s.status = 'waiting' and s.run_after <= coalesce(${now}::timestamptz, now())
      returning s.run_id, s.index, s.attempt, s.name, s.started_at, s.ended_at, d.seq
    ),
    unawaited as (
      delete from run_wait w using step s where w.run_id = s.run_id and w.step_index = s.index
    )`;

/** SQL: the frame of a row of `step`. */
export const endedStep = `
        json_build_object('step', name, 'index', index, 'attempt', attempt, 'status', 'succeeded',
          'durationMs', ${stepDurationSql})`;
