import { instant, statement, uuid } from '../../db/index.ts';
import { isUnlimited } from '../../flow/policies/concurrency/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';
import { statusPayloadSql, stepPayloadSql } from '../../timeline/index.ts';
import { endDueStepsSql } from './endStepsSql.ts';
import { type ClaimedRow, claimedRunSql, fruitlessSql, isNotFoundDead } from './leasing.ts';
import { queuePosition } from './queuePosition.ts';
import { backsOffSql } from './settleSteps.ts';

/** A run that was woken and leased. */
export interface LeasedRow extends ClaimedRow {
  /** When it was leased, and since when it is due, in ms since the epoch. It is not sent before. */
  leasedAtMs: number;
  dueAtMs: number;
}

/**
 * A run is leased between these times before it is due. The shorter one is longer than a commit
 * takes, and than the commit before it. The time between them lets neighbours share a statement.
 */
export const lead = { shortestMs: 20, longestMs: 40 };
const leadSql = `interval '${lead.longestMs} ms'`;

/**
 * Wakes parked runs whose time has come, and leases them to `$dispatcherId`, which has reserved a
 * runner slot for each. Does by one statement what `wakeDue` and a claim do by two, for the runs
 * that are nearly all.
 *
 * A run that only sleeps is leased up to `lead.longestMs` before it is due. What else a run waits
 * for may still come before its sleep ends, and has to stand before it in the memo.
 *
 * Leaves the others of `$runIds` to `wakeDue`: runs that are not due, or locked, or back off, or
 * were never claimed; runs with endpoints to tell; and (L2) runs of a lane with a limit. As a claim
 * does, it leaves runs that changed between its start and their lock (`leasing`).
 */
export const leaseDue = statement<LeasedRow>('leaseDue').writes({
  params: { runIds: uuid.list, dispatcherId: uuid, now: instant },
  text: `
    with me as (select id from dispatcher where id = $dispatcherId and ${isNotFoundDead} for key share),
    picked as materialized (
      select w.ctid as version from run_work w
      where w.run_id = any($runIds) and w.state = 'parked' and w.due_at <= $now + ${leadSql} and w.owed_turn is null and w.claim_no > 0
        and not ${backsOffSql('w')} and exists (select from me) and coalesce(${isUnlimited('w.lane_id')}, false)
        and not ${hasEndpointsSql('w.project_id')}
        and (w.due_at <= $now or not exists (
          select from run_step s
          where s.run_id = w.run_id and s.status = 'waiting' and s.op not in ('Sleep', 'SleepUntil')))
        and exists (select from run r where r.id = w.run_id and r.status in ('waiting', 'needs_attention'))
      order by w.run_id
      for update of w skip locked
    ),
    due as materialized (
      select run_id, project_id, seq, due_at, (select $clock) as leased_at from run_work
      where ctid = any(array(select version from picked))
    ),
    ${endDueStepsSql('due', 'greatest(d.due_at, $now)')},
    entry as (
      select run_id, seq, position, 'step_status' as kind, ${stepPayloadSql} as payload from step
      union all
      select run_id, seq, 3000000000, 'run_status', ${statusPayloadSql('queued')} from due
      union all
      select run_id, seq, 4000000000, 'run_status', ${statusPayloadSql('running')} from due
    ),
    numbered as materialized (
      select *, seq + row_number() over (partition by run_id order by position) as number from entry
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select n.run_id, n.number, n.kind, d.leased_at, n.payload from numbered n join due d on d.run_id = n.run_id
    ),
    shown as (
      update run r set status = 'running', started_at = coalesce(r.started_at, d.leased_at) from due d where r.id = d.run_id
    ),
    leased as (
      update run_work w set
        state = 'leased', lease_id = $dispatcherId, claim_no = w.claim_no + 1, due_at = null, stranded_at = null, expires_at = null,
        seq = n.number,
        position = ${queuePosition('d.leased_at', 'case when w.run_id in (select run_id from step) then w.shift_ms end')}
      from due d join numbered n on n.run_id = d.run_id and n.position = 4000000000
      where w.run_id = d.run_id
      returning w.run_id, w.lane_id, w.claim_no, w.wakes, w.seq, w.position, d.leased_at, d.due_at as was_due_at, ${fruitlessSql}
    )
    select ${claimedRunSql}, w.lane_id, w.claim_no, w.wakes, w.seq, true as turned_running, w.unanswered, w.repeats,
      w.leased_at as now, w.leased_at::timestamptz(3) as dated, (extract(epoch from w.leased_at) * 1000)::float8 as leased_at_ms,
      (extract(epoch from w.was_due_at) * 1000)::float8 as due_at_ms
    from leased w join run r on r.id = w.run_id
    order by w.position, w.run_id
  `,
});
