/*
 * SQL: which calls wait. A statement that reads them by a partial index needs its very condition.
 */

/** A call that waits for its turn. With this, the planner takes `inference_call_lane_idx`. */
export const waitingSql = 'lease_id is null and paused_at is null and not looks_up';

/** A call that waits for a look into the cache: `inference_call_look_up_idx`. */
export const lookingSql = 'lease_id is null and paused_at is null and looks_up';

/** SQL: whether no hold keeps the calls of a lane (`inference_lane`) from being sent. */
export const isOpenSql = (lane: string): string => `coalesce(${lane}.held_until <= $now, true)`;
