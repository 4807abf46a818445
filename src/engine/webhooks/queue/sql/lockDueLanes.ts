import { bool, instant, int, statement, uuid } from '../../../db/index.ts';

interface Row {
  /** Lanes that this transaction has locked. */
  laneIds: string[];
  /** Lanes with due deliveries that were found. Another transaction has locked the missing ones. */
  found: number;
  /** Where the next claim continues. Null: at the first lane. */
  nextAfter: string | null;
  /** Whether further lanes may have due deliveries. */
  hasMore: boolean;
}

/** Beyond this many due deliveries, lanes are visited one by one. */
const shortQueue = 200;

/** The number of lanes that one claim visits. Some have deliveries that are not due yet. */
const maxVisits = 500;

/**
 * Locks lanes with due deliveries, so that the next statement counts and leases without a rival.
 * Makes the rows of lanes without one, and registers the sender if it has no leases.
 *
 * The oldest due deliveries name all due lanes if they are few. A backlog would hide other lanes
 * there. Then the lanes take turns: `turn` descends `webhook_work_lane_idx` once per lane, from
 * `$after` on, however many deliveries wait in it.
 */
export const lockDueLanes = statement<Row>('lockDueLanes').writes({
  params: {
    now: instant,
    senderId: uuid,
    /** Whether to register the sender, or to renew its heartbeat. */
    registers: bool,
    after: uuid,
    maxLanes: int,
    /** Lanes to leave out. */
    except: uuid.list,
  },
  text: `
    with recursive oldest as (
      select lane, project_id from webhook_work
      where lease_id is null and due_at <= $now
      order by due_at
      limit ${shortQueue}
    ),
    backlog as (select count(*) = ${shortQueue} as is_long from oldest),
    turn as (
      (
        select lane, project_id, due_at <= $now and lane not in (select unnest($except)) as is_wanted,
          (due_at <= $now and lane not in (select unnest($except)))::int as wanted, 1 as visits
        from webhook_work
        where (select is_long from backlog) and lease_id is null and lane > $after
        order by lane, due_at
        limit 1
      )
      union all
      select next.lane, next.project_id, next.is_wanted, t.wanted + next.is_wanted::int, t.visits + 1
      from turn t
      cross join lateral (
        select w.lane, w.project_id, w.due_at <= $now and w.lane not in (select unnest($except)) as is_wanted
        from webhook_work w
        where w.lease_id is null and w.lane > t.lane
        order by w.lane, w.due_at
        limit 1
      ) next
      where t.visits < ${maxVisits} and t.wanted < $maxLanes
    ),
    last as (select lane, wanted, visits from turn order by visits desc limit 1),
    few as (
      select distinct lane, project_id from oldest
      where not (select is_long from backlog) and lane not in (select unnest($except))
    ),
    candidate as (
      (select lane, project_id, (select count(*) from few) as total from few order by lane <= $after, lane limit $maxLanes)
      union all
      select lane, project_id, 0 from turn where is_wanted
    ),
    made as (
      insert into webhook_lane (id, project_id)
      select lane, project_id from candidate c
      where not exists (select from webhook_lane l where l.id = c.lane)
      order by lane
      on conflict do nothing
      returning id
    ),
    locked as (
      select id from webhook_lane where id in (select lane from candidate) order by id for update skip locked
    ),
    registered as (
      insert into webhook_sender (id, heartbeat_at) select $senderId, $now where $registers
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
    )
    select
      array(select id from locked union select id from made) as lane_ids,
      (select count(*) from candidate)::int as found,
      case when (select is_long from backlog)
        then (select lane from last where visits >= ${maxVisits} or wanted >= $maxLanes)
        else (select lane from candidate order by lane <= $after desc, lane desc limit 1)
      end as next_after,
      (select is_long from backlog) or exists (select from candidate where total > $maxLanes) as has_more
  `,
});
