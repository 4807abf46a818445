import { float8, instant, statement, uuid } from '../../db/index.ts';
import { endLeasesSql, isNotFoundDead } from '../../work/index.ts';

/**
 * Locks a dispatcher's row. A statement that leases runs to it holds the row meanwhile (`for key
 * share`). So no lease is being written once this lock is held, and the next statement of the
 * transaction sees all leases.
 */
export const lockDispatcher = statement<never>('lockDispatcher').reads({
  params: { id: uuid },
  text: 'select from dispatcher where id = $id for update',
});

interface Row {
  alive: boolean;
  /** Lanes whose runs were freed from dead dispatchers. */
  freedLanes: number[];
  /** Slots and projects that the freed runs counted against. */
  freedSlots: string[];
  freedProjects: string[];
  /** Dispatchers that were found dead now. */
  dead: number;
}

/**
 * Renews a dispatcher's heartbeat and frees the runs of dead dispatchers. One statement does both,
 * to keep the load of an idle service low.
 *
 * While the database accepts no writes, every dispatcher is silent. So a dispatcher judges others
 * only once it has beaten without a gap for some time (`judge`). `started_at` is the beginning of
 * that time. A beat after a gap resets it.
 *
 * A heartbeat more than a minute ahead dates from before the clock went back, and counts as of now.
 * Living dispatchers renew theirs, and dead ones become silent. Two dispatchers that beat at once
 * skip the rows that the other has locked. Otherwise they would deadlock.
 *
 * A dead dispatcher's row is marked first (`found`). A later beat deletes it, once no run is
 * leased to it any more: runs that a commit has locked now are skipped, and freed by the next beat.
 * This statement may miss a lease that is being written. After the mark, no new lease is written.
 * The sockets of a dead dispatcher count as closed.
 *
 * Older builds know only `started_at` = infinity as the mark, so that is written as well. The next
 * version drops it, and its part of `isNotFoundDead`.
 */
export const beatDispatcher = statement<Row>('beatDispatcher').writes({
  params: {
    id: uuid,
    /** The silence after which a dispatcher counts as dead. */
    silenceMs: float8,
    now: instant,
    /** The longest time between two of its own beats that is no gap. */
    gapMs: float8,
    /** How long a dispatcher judges no other after a gap, or after its start. */
    judgeGraceMs: float8,
  },
  text: `
    with beat as (
      update dispatcher set
        heartbeat_at = $now,
        started_at = case
          when heartbeat_at < $now - $gapMs * interval '1 ms'
            then $now
          else least(started_at, $now)
        end
      where id = $id and ${isNotFoundDead} returning id, started_at
    ),
    judge as (
      select from beat where started_at <= $now - $judgeGraceMs * interval '1 ms'
    ),
    ahead as (
      select id from dispatcher
      where heartbeat_at > $now + interval '1 minute' and id <> $id
      for update skip locked
    ),
    brought_back as (
      update dispatcher d set heartbeat_at = $now from ahead where d.id = ahead.id
    ),
    dead as (
      select id from dispatcher
      where heartbeat_at < $now - $silenceMs * interval '1 ms' and id <> $id
        and exists (select from judge)
      for update skip locked
    ),
    orphan as (
      select run_id from run_work where lease_id in (select id from dead)
      order by run_id limit 5000 for update skip locked
    ),${endLeasesSql},
    silenced as (
      update runner set connected = false, dispatcher_id = null where dispatcher_id in (select id from dead)
    ),
    found as (
      update dispatcher d set found_dead_at = $now, started_at = 'infinity'
      from dead where d.id = dead.id and ${isNotFoundDead} returning d.id
    ),
    gone as (
      delete from dispatcher d using dead where d.id = dead.id and not ${isNotFoundDead}
        and not exists (select from run_work w
          where w.lease_id = d.id and w.run_id not in (select run_id from orphan))
    )
    select exists (select from beat) as alive,
      (select coalesce(array_agg(distinct lane_id), '{}') from freed where state = 'ready') as freed_lanes,
      (select coalesce(array_agg(distinct slot::text), '{}') from freed where slot is not null) as freed_slots,
      (select coalesce(array_agg(distinct project_id::text), '{}') from freed) as freed_projects,
      (select count(*) from found)::int as dead
  `,
});
