/**
 * SQL: the queue position of a run that is enqueued at an instant (2.2 `priority`): microseconds
 * since the epoch, `shiftMs` earlier. No shift is null. Every statement that enqueues a run uses
 * this. A run that is gated, stranded or released keeps its position.
 */
export const queuePosition = (instant: string, shiftMs: string): string =>
  `(extract(epoch from ${instant}) * 1000000 - coalesce(${shiftMs}, 0) * 1000)::bigint`;
