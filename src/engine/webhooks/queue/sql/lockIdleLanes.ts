import { float8, instant, int, statement, uuid } from '../../../db/index.ts';

interface Row {
  /** Idle lanes of the page. They are locked. */
  laneIds: string[];
  /** The last lane of the page; null if no lane follows it. */
  nextAfter: string | null;
}

/**
 * Locks the idle ones of a page of lanes: of no endpoint, without work, and without a recent
 * attempt. A lane that was never attempted knows nothing, so it counts as idle.
 *
 * The page follows the primary key. An index by the last attempt would spare the walk, but each
 * outcome would have to maintain it. Locked lanes are skipped, so no claim waits for this one.
 */
export const lockIdleLanes = statement<Row>('lockIdleLanes').reads({
  params: { now: instant, idleMs: float8, after: uuid, limit: int },
  text: `
    with page as materialized (
      select id from webhook_lane where id > $after order by id limit $limit
    ),
    idle as (
      select l.id from webhook_lane l
      where l.id = any(array(select id from page))
        and coalesce(l.last_attempt_at <= $now - $idleMs * interval '1 ms', true)
        and not exists (select from webhook_endpoint e where e.id = l.id)
        and not exists (select from webhook_work w where w.lease_id is null and w.lane = l.id)
        and not exists (select from webhook_work w where w.lease_id is not null and w.lane = l.id)
      for update of l skip locked
    )
    select array(select id from idle) as lane_ids, (select id from page order by id offset $limit - 1) as next_after
  `,
});
