/**
 * SQL: the place of a run that is enqueued at an instant (2.2 `priority`): microseconds since the
 * epoch, `shiftMs` earlier. No shift is null. All that enqueues a run places it by this; a run that
 * is gated, stranded or handed back keeps its place.
 */
export const queuePosition = (instant: string, shiftMs: string): string =>
  `(extract(epoch from ${instant}) * 1000000 - coalesce(${shiftMs}, 0) * 1000)::bigint`;
