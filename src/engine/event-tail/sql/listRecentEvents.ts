import { statement } from '../../db/index.ts';

export interface RecentEventRow {
  projectId: string;
  id: string;
  app: string;
  name: string;
  /** The transaction that recorded it. Null where it is older than the column. */
  xid: number | null;
  /** The transactions that were over when it was recorded. */
  snapshot: string | null;
  /** The transactions that are over now. */
  current: string;
}

/** Of each project, one after the other. */
export interface RecentEvents {
  projectIds: readonly string[];
  /** No event with a lower id is looked at. */
  floors: readonly string[];
  /** No event with this id or a higher one; null: up to the newest. */
  ceilings: readonly (string | null)[];
  /** No event that was there at the moment of this snapshot; null: all. */
  snapshots: readonly (string | null)[];
  limit: number;
}

/**
 * The newest events of each project, newest first, in a range of ids, that were not there yet at a moment of the past. Rides
 * `(project_id, id desc)`. A row without a number is older than all snapshots.
 */
export const listRecentEvents = statement<RecentEvents, RecentEventRow>({
  name: 'listRecentEvents',
  writes: false,
  text: `
    select recent.project_id as "projectId", recent.id, recent.app, recent.name, recent.xid,
      recent.snapshot, pg_current_snapshot()::text as current
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::pg_snapshot[])
      as watched (project_id, floor, ceiling, seen)
    cross join lateral (
      select project_id, id, app, name, xid, snapshot
      from event
      where event.project_id = watched.project_id and event.id >= watched.floor
        and event.id < coalesce(watched.ceiling, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (watched.seen is null or not pg_visible_in_snapshot(xid::text::xid8, watched.seen))
      order by id desc
      limit $5
    ) recent`,
  values: ({ projectIds, floors, ceilings, snapshots, limit }) => [projectIds, floors, ceilings, snapshots, limit],
});
