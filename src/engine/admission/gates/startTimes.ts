import type { StartGate } from '../candidate.ts';

/**
 * Holds nobody back: has timers look in time for the first of those that were put off, once that is
 * committed.
 */
export const startTimes: StartGate = async ({ ctx, tx }, candidates) => {
  const times = candidates.flatMap(({ startAt, withheld }) =>
    startAt && withheld === undefined ? startAt.getTime() : [],
  );
  if (times.length === 0) return;
  const first = times.reduce((one, other) => Math.min(one, other));
  tx.afterCommit(() => ctx.bus.emit('work.due', { inMs: Math.max(0, first - ctx.clock.now().getTime()) }));
};
