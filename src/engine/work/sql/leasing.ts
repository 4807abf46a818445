import type { TriggerKind } from '../../runs/index.ts';
import { statusPayloadSql } from '../../timeline/index.ts';

/**
 * SQL: whether no other dispatcher has found this one dead. The row of a dead dispatcher stays
 * until nothing is leased to it any more. A dead dispatcher takes no lease, and no late beat
 * revives it. Older builds mark it by `started_at` alone.
 */
export const isNotFoundDead = "(found_dead_at is null and started_at < 'infinity')";

/**
 * SQL: whether a ready run may begin. A start beyond its time to live is left to the scheduler,
 * which drops it. A run that was leased before has begun; older builds leave it its `expires_at`.
 */
export const isNotExpired = '(expires_at is null or expires_at > $now or claim_no > 0)';

export interface ClaimedRow {
  id: string;
  projectId: string;
  app: string;
  workflow: string;
  runner: string | null;
  triggerKind: TriggerKind;
  eventName: string | null;
  eventId: string | null;
  session: string | null;
  tags: Record<string, string> | null;
  depth: number;
  attempt: number;
  replayOf: string | null;
  parentRunId: string | null;
  onFailureOf: string | null;
  /** JSON text of the error that a follow-on run handles. */
  handledError: string | null;
  input: string;
  events: string | null;
  /** JSON text. */
  envelope: string | null;
  /** When its event or call was received. */
  createdAt: Date;
  /** The earliest start. */
  dueAt: Date;
  /** When its first pass began; null before. */
  startedAt: Date | null;
  laneId: number;
  claimNo: number;
  wakes: number;
  seq: number;
  /** Whether this claim moved the run to `running`. */
  turnedRunning: boolean;
  unanswered: number;
  repeats: number;
  /**
   * The instant of the lease. A `Date` drops the microseconds, so no step that is not yet due by
   * the database's clock is due by this instant.
   */
  now: Date;
  /** The same instant as in the run and its frame, which round it, perhaps up. */
  dated: Date;
}

/**
 * SQL: the counts of a run's fruitless invokes. A process of the former version changes only
 * `transport_failures`. If that differs from the columns beside it, it is the newer one.
 */
export const fruitlessSql = `
        case when w.transport_failures = w.unanswered - w.repeats then w.unanswered
          else greatest(w.transport_failures, 0) end as unanswered,
        case when w.transport_failures = w.unanswered - w.repeats then w.repeats
          else greatest(-w.transport_failures, 0) end as repeats`;

/** SQL: what a claim returns of the run `r`. */
export const claimedRunSql = `r.id, r.project_id, r.app, r.workflow, r.runner, r.trigger_kind, r.event_name, r.event_id, r.session, r.tags,
      r.depth, r.attempt, r.replay_of, r.parent_run_id, r.on_failure_of,
      (select f.error from run f where f.id = r.on_failure_of) as handled_error, r.input, r.events, r.envelope,
      coalesce(r.event_at, r.created_at) as created_at, coalesce(r.start_at, r.created_at) as due_at, r.started_at`;

/**
 * The text of a statement that leases ready runs to the dispatcher `$dispatcherId`. `picked`
 * selects the addresses (`ctid as version`) of their locked rows, from `me` and other tables. `me`
 * locks the dispatcher's row, so a dispatcher that was found dead claims no runs. A run that was
 * released while `running` stays so, without another frame.
 *
 * The statement sees each run as of its own start, but locks it later. A run that changed in
 * between (paused and resumed, executed by another dispatcher) may be ready again, with another
 * status or attempt. Such a run is left to the next claim: `picked` has the address of the locked
 * row version, and the statement does not find a version that it cannot see. A look-up by address
 * also costs less than a look-up by key.
 */
export const leasing = (picked: string): string => `
    with me as (select id from dispatcher where id = $dispatcherId and ${isNotFoundDead} for key share),
    picked as materialized (${picked}),
    unchanged as (
      select run_id from run_work where ctid = any(array(select version from picked))
    ),
    instant as materialized (
      select max($clock) as leased_at from unchanged
    ),
    turned as (
      update run r set status = 'running', started_at = coalesce(r.started_at, (select leased_at from instant))
      where r.id = any(array(select run_id from unchanged)) and r.status = 'queued'
      returning r.id
    ),
    claimed as (
      update run_work w set
        state = 'leased', lease_id = $dispatcherId, claim_no = w.claim_no + 1, due_at = null, stranded_at = null, expires_at = null,
        seq = w.seq + (case when w.run_id in (select id from turned) then 1 else 0 end)
      where w.ctid = any(array(select version from picked))
      returning w.run_id, w.lane_id, w.claim_no, w.wakes, w.seq, w.position,
        ${fruitlessSql},
        w.run_id in (select id from turned) as turned_running
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', (select leased_at from instant), ${statusPayloadSql('running')}
      from claimed where turned_running
    )
    select ${claimedRunSql},
      c.lane_id, c.claim_no, c.wakes, c.seq, c.turned_running, c.unanswered, c.repeats,
      (select leased_at from instant) as now, (select leased_at from instant)::timestamptz(3) as dated
    from claimed c join run r on r.id = c.run_id
    order by c.position, c.run_id
  `;
