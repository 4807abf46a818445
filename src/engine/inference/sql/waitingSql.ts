/*
 * SQL: which calls wait. A statement that reads them by a partial index needs its very condition.
 */

/** A call that waits for its turn. With this, the planner takes `inference_call_lane_idx`. */
export const waitingSql = 'lease_id is null and paused_at is null and not looks_up';

/** A call that waits for a look into the cache: `inference_call_look_up_idx`. */
export const lookingSql = 'lease_id is null and paused_at is null and looks_up';

/**
 * SQL: when the first call is due, of those that wait for their turn or for a look into the cache.
 * The order of `min` leaves the planner one index for each, also if its statistics are old.
 */
export const firstDueSql = (after = ''): string => `least(
        (select min(due_at) from inference_call where ${waitingSql} ${after}),
        (select min(due_at) from inference_call where ${lookingSql} ${after}))`;

/** SQL: whether no hold keeps the calls of a lane (`inference_lane`) from being sent. */
export const isOpenSql = (lane: string): string => `coalesce(${lane}.held_until <= $now, true)`;
