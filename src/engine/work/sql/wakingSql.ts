import { heldUntil } from '../../flow/policies/token-throttle/index.ts';
import { stepChangeSql, tellEndpointsSql } from '../../lifecycle/index.ts';
import { statusPayloadSql, stepPayloadSql } from '../../timeline/index.ts';
import { endDueStepsSql } from './endStepsSql.ts';
import { queuePosition } from './queuePosition.ts';
import { backsOffSql } from './settleSteps.ts';

/** The priority shift of a run whose sleep or wait has ended. A retry keeps its position. */
const shift = 'case when w.run_id in (select run_id from step) then w.shift_ms end';

/** The columns of `run_work` that `due` selects. */
export const wakingColumnsSql = `run_id, project_id, lane_id, seq, position, due_at, retry_at,
  ${heldUntil('run_work')} as held_until, ${backsOffSql('run_work')} as backs_off`;

export interface WokenRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  laneId: number;
  /** How long it has been due, in ms. */
  lateMs: number;
}

/** SQL: the columns of a woken run, of `due d` and `run r`. */
export const wokenColumnsSql = `d.run_id, r.project_id, r.app, r.workflow, d.lane_id,
      (extract(epoch from $clock - d.due_at) * 1000)::float8 as late_ms`;

const wokenSql = `select ${wokenColumnsSql} from due d join run r on r.id = d.run_id`;

/**
 * The text of a statement that wakes parked runs whose time has come. Sleeps end, waits time out,
 * retries begin, and delayed starts enter the queue at their position. `due` selects the runs,
 * locked, as `wakingColumnsSql`.
 *
 * A run whose bucket still lacks tokens (`held_until`) stays parked, and moves back in the queue by
 * the added delay. A run that backs off (`backsOffSql`) stays parked, too; its due steps end in the
 * order of their times. If an event ends a wait at the same moment, `run_step.status` decides:
 * both lock the row of `run_work` first. `numbered` has one row more per run than there are frames,
 * which carries its last `seq`. `answer` reads `picked`, and `due`, the runs that are woken.
 */
export const wakingSql = (due: string, answer = wokenSql): string => `
    with picked as materialized (${due}),
    due as (select run_id, project_id, lane_id, seq, backs_off, retry_at, due_at from picked where held_until is null),
    put_off as (
      update run_work w set due_at = p.held_until, ends_at = w.ends_at + (p.held_until - p.due_at),
        position = p.position + (extract(epoch from p.held_until - p.due_at) * 1000000)::bigint
      from picked p
      where p.held_until is not null and w.run_id = p.run_id
    ),
    told_later as (
      update run r set start_at = p.held_until from picked p where p.held_until is not null and r.id = p.run_id
    ),
    ${endDueStepsSql('due')},
    requeued as (
      update run r set status = 'queued' from due d
      where not d.backs_off and r.id = d.run_id and r.status in ('waiting', 'needs_attention')
      returning r.id as run_id, d.seq
    ),
${tellEndpointsSql(`${stepChangeSql('step', "case when run_id in (select run_id from requeued) then 'queued' end")}
      from step`)},
    entry as (
      select run_id, seq, position, 'step_status' as kind, ${stepPayloadSql} as payload,
        null::bool as backs_off, null::timestamptz as retry_at
      from step
      union all
      select run_id, seq, 3000000000, 'run_status', ${statusPayloadSql('queued')}, null, null from requeued
      union all
      select run_id, seq, 4000000000, null, null, backs_off, retry_at from due
    ),
    numbered as materialized (
      select *, seq + row_number() over (partition by run_id order by position) as number from entry
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, number, kind, $clock, payload from numbered where kind is not null
    ),
    work as (
      update run_work w set seq = n.number - 1,
        state = case when n.backs_off then 'parked' else 'ready' end,
        due_at = case when n.backs_off then least(n.retry_at, (
          select min(s.run_after) from run_step s
          where s.run_id = n.run_id and s.run_after > $now and (s.status = 'waiting' or s.will_retry))) end,
        position = case when w.run_id in (select run_id from requeued)
          then ${queuePosition('$clock', shift)} else w.position end
      from numbered n
      where n.kind is null and w.run_id = n.run_id
    )
    ${answer}
  `;
