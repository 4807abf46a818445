import { bigint, pgSnapshot, rowset, statement, uuid } from '../../db/index.ts';

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

/**
 * The newest events of each project, newest first, in a range of ids, that were not there yet at a
 * moment of the past. Rides `(project_id, id desc)`. A row without a number is older than all
 * snapshots.
 */
export const listRecentEvents = statement<RecentEventRow>('listRecentEvents').reads({
  params: {
    watched: rowset({
      projectId: uuid,
      /** No event with a lower id is looked at. */
      floor: uuid,
      /** No event with this id or a higher one; null: up to the newest. */
      ceiling: uuid.orNull,
      /** No event that was there at the moment of this snapshot; null: all. */
      seen: pgSnapshot.orNull,
    }),
    limit: bigint,
  },
  text: `
    select recent.project_id, recent.id, recent.app, recent.name, recent.xid,
      recent.snapshot, pg_current_snapshot()::text as current
    from $watched as watched
    cross join lateral (
      select project_id, id, app, name, xid, snapshot
      from event
      where event.project_id = watched.project_id and event.id >= watched.floor
        and event.id < coalesce(watched.ceiling, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (watched.seen is null or not pg_visible_in_snapshot(xid::text::xid8, watched.seen))
      order by id desc
      limit $limit
    ) recent`,
});
