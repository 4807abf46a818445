import { float8, instant, statement, uuid } from '../../db/index.ts';
import { endLeasesSql, isNotFoundDead } from '../../work/index.ts';

/**
 * Locks a dispatcher's row. Whoever leases runs to it holds the row meanwhile (`for key share`): so
 * no lease is being written any more once this has come back, and the next statement of the
 * transaction sees all that were.
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
 * Renews a dispatcher's heartbeat and frees what dead ones held, in one statement, so that an idle
 * service asks little.
 *
 * Of who is silent while nobody can write, nothing is known: a dispatcher judges others only once
 * it has beaten without a gap for some time (`judge`). `started_at` is when that began: a beat
 * after a gap sets it anew.
 *
 * A heartbeat more than a minute ahead is one of before the clock went back, and counts as of now:
 * the living renew theirs, and the dead become silent. Of two that beat at once each passes over
 * what the other has locked, or they would wait in a circle.
 *
 * A dead dispatcher's row is marked at first (`found`), and goes with a later beat, once nothing is
 * leased to it any more: rows that a commit has locked right now are skipped and freed by the next.
 * A lease that was being written when it was found may be one that this statement does not see;
 * after the mark no other comes. Its sockets count as closed.
 */
export const beatDispatcher = statement<Row>('beatDispatcher').writes({
  params: {
    id: uuid,
    /** After this silence a dispatcher counts as dead. */
    silenceMs: float8,
    now: instant,
    /** Whoever has let more time pass between two beats of its own judges nobody, */
    gapMs: float8,
    /** nor for so long after that, or after its start. */
    patienceMs: float8,
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
      select from beat where started_at <= $now - $patienceMs * interval '1 ms'
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
      update dispatcher d set started_at = 'infinity' from dead where d.id = dead.id and d.${isNotFoundDead} returning d.id
    ),
    gone as (
      delete from dispatcher d using dead where d.id = dead.id and not d.${isNotFoundDead}
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
