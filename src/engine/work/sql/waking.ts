import { heldUntil } from '../../flow/policies/token-throttle/index.ts';
import { endedStep, endingSteps } from './endingSteps.ts';
import { queuePosition } from './queuePosition.ts';
import { backsOff } from './settleSteps.ts';

/** Of a run for which a sleep or a wait has ended; a retry keeps its time. */
const shift = 'case when w.run_id in (select run_id from step) then w.shift_ms end';

/** What `due` has to pick of `run_work`. */
export const wakingColumns = `run_id, lane_id, seq, position, due_at, retry_at,
  ${heldUntil('run_work')} as held_until, ${backsOff('run_work')} as backs_off`;

export interface WokenRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  laneId: number;
}

/**
 * The text of a statement that wakes parked runs whose time has come: sleeps end, waits time out,
 * retries may go; and lets runs start whose start was put off, where they stand in the queue. `due`
 * picks them, locked, as `wakingColumns`. What its bucket holds back once more (`held_until`) stays
 * parked until then, later in the queue by as much. One that backs off (`backsOff`) stays parked,
 * too: what is over has ended, in the order in which it came. A wait that an event ends at the same
 * moment is decided by `run_step.status`, under the lock of `run_work` that both take first.
 * `numbered` has one row more per run than there are frames, which carries its last `seq`.
 */
export const waking = (due: string): string => `
    with picked as materialized (${due}),
    due as (select run_id, lane_id, seq, backs_off, retry_at from picked where held_until is null),
    put_off as (
      update run_work w set due_at = p.held_until,
        position = p.position + (extract(epoch from p.held_until - p.due_at) * 1000000)::bigint
      from picked p
      where p.held_until is not null and w.run_id = p.run_id
    ),
    told_later as (
      update run r set start_at = p.held_until from picked p where p.held_until is not null and r.id = p.run_id
    ),
    ${endingSteps('due')},
    requeued as (
      update run r set status = 'queued' from due d
      where not d.backs_off and r.id = d.run_id and r.status in ('waiting', 'needs_attention')
      returning r.id as run_id, d.seq
    ),
    entry as (
      select run_id, seq, place as position, 'step_status' as kind, ${endedStep} as payload,
        null::bool as backs_off, null::timestamptz as retry_at
      from step
      union all
      select run_id, seq, 3000000000, 'run_status', '{"status":"queued"}', null, null from requeued
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
    select d.run_id, r.project_id, r.app, r.workflow, d.lane_id from due d join run r on r.id = d.run_id
  `;
