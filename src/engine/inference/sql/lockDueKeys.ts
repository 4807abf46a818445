import { bool, instant, int, statement, uuid } from '../../db/index.ts';
import { keyIdSql, settingsOwner } from './keySql.ts';
import { isOpenSql, lookingSql, waitingSql } from './waitingSql.ts';
import { firstWidth, forgottenSql, widensAtSql, widthSql } from './widthSql.ts';

/** The due calls of one project in one lane. */
export interface Place {
  keyId: string;
  laneId: string;
  projectId: string;
}

interface Row {
  /** Places with due calls, under keys that this transaction has locked. */
  places: Place[];
  /** Whether another transaction has locked one of the keys. */
  isContended: boolean;
  /** Whether a look into the cache is due. */
  hasLooks: boolean;
  /** Where the next claim continues; null: all places were visited. */
  nextAfter: Place | null;
  /** The ms until a hold ends, a lane opens or a call is due; null: none in the visited places. */
  nextInMs: number | null;
}

/** The number of places that one claim visits. */
const maxVisits = 500;

/** Sorts after all ids. */
const lastId = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

/**
 * Finds places with due calls, and locks their keys. So the next statement counts and leases
 * without a rival. Makes the rows of keys and lanes without one, lets idle lanes open slowly again,
 * and registers the process if it has no calls.
 *
 * `walk` descends `inference_call_lane_idx` once per place, from `$after` on. It reads the first
 * call of each, however many wait there. It skips the rest of a lane that is held or has its width
 * in flight, and the rest of a key that has its limit in flight.
 */
export const lockDueKeys = statement<Row>('lockDueKeys').writes({
  params: {
    now: instant,
    processId: uuid,
    /** Whether to register the process, or to renew its heartbeat. */
    registers: bool,
    /** The calls in flight of one key. */
    limit: int,
    afterKey: uuid,
    afterLane: uuid,
    afterProject: uuid,
  },
  text: `
    with recursive lane_flight as materialized (
      select key_id, lane_id, count(*) as calls from inference_call
      where lease_id is not null and not looks_up
      group by key_id, lane_id
    ),
    key_flight as materialized (
      select key_id, sum(calls) as calls from lane_flight group by key_id
    ),
    walk as (
      select $afterKey as key_id, $afterLane as lane_id, $afterProject as project_id, ''::text as provider, ''::text as model,
        null::timestamptz as due_at, null::timestamptz as held_until, null::timestamptz as widens_at, false as is_key_full, false as is_lane_shut, 0 as visits
      union all
      select c.key_id, c.lane_id, c.project_id, c.provider, c.model, c.due_at, case when not ${isOpenSql('l')} then l.held_until end,
        ${widensAtSql('l')},
        coalesce(k.calls >= $limit, false),
        not ${isOpenSql('l')} or coalesce(f.calls >= ${widthSql('l')}, false),
        w.visits + 1
      from walk w
      cross join lateral (
        select key_id, lane_id, project_id, provider, model, due_at from inference_call
        where ${waitingSql} and (key_id, lane_id, project_id) > (
          w.key_id,
          case when w.is_key_full then ${lastId} else w.lane_id end,
          case when w.is_key_full or w.is_lane_shut then ${lastId} else w.project_id end)
        order by key_id, lane_id, project_id, due_at
        limit 1
      ) c
      left join inference_lane l on l.id = c.lane_id
      left join lane_flight f on f.key_id = c.key_id and f.lane_id = c.lane_id
      left join key_flight k on k.key_id = c.key_id
      where w.visits < ${maxVisits}
    ),
    place as (
      select *, case when key_id <> ${keyIdSql(`'${settingsOwner}'`, 'provider')} then project_id end as owner_id
      from walk where due_at <= $now and not is_key_full and not is_lane_shut
    ),
    wanted as (
      select distinct on (key_id) key_id, owner_id, provider from place order by key_id
    ),
    made as (
      insert into inference_key (id, project_id, provider)
      select w.key_id, w.owner_id, w.provider
      from wanted w
      where not exists (select from inference_key k where k.id = w.key_id)
      order by w.key_id
      on conflict do nothing
      returning id
    ),
    locked as materialized (
      select id from inference_key where id in (select key_id from wanted) order by id for no key update skip locked
    ),
    held as (
      select id from locked union select id from made
    ),
    lane as (
      insert into inference_lane (id, key_id, project_id, provider, model, width, opening_since, updated_at)
      select distinct on (p.lane_id) p.lane_id, p.key_id, p.owner_id, p.provider, p.model,
        case when ${firstWidth} < $limit then ${firstWidth} end, case when ${firstWidth} < $limit then $now end, $now
      from place p
      where p.key_id in (select id from held) and not exists (select from inference_lane l where l.id = p.lane_id)
      order by p.lane_id
      on conflict do nothing
    ),
    idle as materialized (
      select id from inference_lane l
      where id in (select lane_id from place where key_id in (select id from held))
        and width is null and coalesce(succeeded_at <= $now - ${forgottenSql}, true) and ${firstWidth} < $limit
        and not exists (select from lane_flight f where f.lane_id = l.id)
      for update skip locked
    ),
    closed as (
      update inference_lane set width = ${firstWidth}, opening_since = $now, updated_at = $now
      where id in (select id from idle)
    ),
    registered as (
      insert into inference_process (id, heartbeat_at) select $processId, $now where $registers
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
    )
    select
      (select coalesce(jsonb_agg(jsonb_build_object('keyId', key_id, 'laneId', lane_id, 'projectId', project_id)), '[]'::jsonb)
        from place where key_id in (select id from held)) as places,
      exists (select from wanted where key_id not in (select id from held)) as is_contended,
      coalesce((select min(due_at) from inference_call where ${lookingSql}) <= $now, false) as has_looks,
      (select jsonb_build_object('keyId', key_id, 'laneId', lane_id, 'projectId', project_id)
        from walk where visits = ${maxVisits}) as next_after,
      (extract(epoch from (
        select min(at) from (
          select case when due_at <= $now and held_until is null then widens_at else greatest(due_at, held_until) end as at from walk
        ) next
        where at > $now
      ) - $now) * 1000)::float8 as next_in_ms
  `,
});
