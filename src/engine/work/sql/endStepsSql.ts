import { startedStepsSql } from '../../runs/index.ts';

/**
 * SQL: whether the end of its run withdrew the retry of a step. The former version does not write
 * the column: it leaves `run_after` in such failures, and in no others that it will not retry.
 */
export const isRetryWithdrawnSql =
  "(retry_withdrawn or (status = 'failed' and not will_retry and run_after is not null))";

/** Further conditions, each with its `and`, on `locked` (`l`) and on `run_step` (`s`). */
interface EndedRuns {
  /** The run of `l` ends; absent if all do. */
  ended?: string;
  /** The same statement records no later attempt of `s`; absent if it records none at all. */
  isLast?: string;
}

/**
 * SQL: the table expressions that end the open steps and waits of runs that end. `locked` has their
 * rows of `run_work` (`run_id`, `seq`, `state`, `claim_no`, `started`), and `instant` the time
 * (`ended_at`). A waiting step is cancelled, with its approval or its model call. A coming retry is
 * withdrawn, unless a later attempt exists. A step that a runner is executing gets its row, as
 * cancelled.
 *
 * A single update (`closed`) does both: a waiting step may have failed, and await a retry, by a
 * transaction that `locked` has waited for. The update then sees the new version of the row.
 */
export const endStepsSql = ({ ended = '', isLast = '' }: EndedRuns = {}): string => `
    interrupted as materialized (
      select l.run_id, l.seq, s.*
      from locked l cross join lateral (${startedStepsSql('l')}) s
      where true ${ended} ${isLast}
    ),
    unfinished as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, will_retry, started_at, ended_at)
      select run_id, index, attempt, step_id, name, 'StepRun', 'cancelled', false, started_at, (select ended_at from instant)
      from interrupted
      on conflict (run_id, index, attempt) do nothing
    ),
    closed as (
      update run_step s set will_retry = false, retry_withdrawn = s.will_retry,
        status = case when s.will_retry then s.status else 'cancelled' end,
        run_after = case when s.will_retry then s.run_after end,
        ended_at = case when s.will_retry then s.ended_at else (select ended_at from instant) end
      from locked l
      where s.run_id = l.run_id ${ended}
        and (s.status in ('running', 'waiting') or (s.will_retry ${isLast}
          and not exists (select from run_step later
            where later.run_id = s.run_id and later.index = s.index and later.attempt > s.attempt)
          and (s.run_id, s.index) not in (select run_id, index from interrupted)))
      returning s.run_id, s.index, s.attempt, s.name, s.status, s.started_at, s.ended_at, l.seq
    ),
    cancelled as (
      select * from closed where status = 'cancelled'
      union all
      select run_id, index, attempt, name, 'cancelled', started_at, (select ended_at from instant), seq from interrupted
    ),
    withdrawn as (
      update approval a set status = 'cancelled'
      from cancelled c
      where a.run_id = c.run_id and a.step_index = c.index and a.status in ('pending', 'escalated')
      returning a.run_id, a.id
    ),
    unawaited as (
      delete from run_wait t using locked l where t.run_id = l.run_id ${ended}
    ),
    uncalled as (
      delete from inference_call c using locked l where c.run_id = l.run_id ${ended}
    )`;

/**
 * SQL: the table expressions that end due sleeps and time out due waits of the runs in `runs`. It
 * has `run_id`, `project_id` and `seq`; the rows of `run_work` are locked. `step` holds the ended
 * steps. Steps that are due together end in the order of their times (`position`), a microsecond
 * apart. Memos are ordered by `ended_at`, so the shorter of two racing sleeps wins, even if both
 * are found late.
 *
 * `until`: the time by which a step is due, of `runs` (`d`). A step that is due later than now ends
 * at its own time.
 */
export const endDueStepsSql = (runs: string, until = '$now'): string => `
    over as materialized (
      select s.run_id, s.index, s.attempt, s.run_after, d.project_id, d.seq, row_number() over (partition by s.run_id order by s.run_after, s.index) as position
      from ${runs} d join run_step s on s.run_id = d.run_id
      where s.status = 'waiting' and s.run_after <= ${until}
    ),
    step as (
      update run_step s set status = 'succeeded', output = 'null', run_after = null,
        ended_at = greatest((select $clock), o.run_after) + (o.position - 1) * interval '1 microsecond'
      from over o
      where s.run_id = o.run_id and s.index = o.index and s.attempt = o.attempt and s.status = 'waiting'
      returning s.run_id, s.index, s.attempt, s.name, s.status, s.started_at, s.ended_at, o.project_id, o.seq, o.position
    ),
    unawaited as (
      delete from run_wait w using step s where w.run_id = s.run_id and w.step_index = s.index
    )`;
