import type { EngineContext } from '../context.ts';
import { oneTrip } from '../db/index.ts';
import { databaseClock } from './databaseClock.ts';
import { delayedBegins } from './delayedBegins.ts';
import { announceRunning, type ExpectedWake, expectWake } from './eagerWakes.ts';
import { type LeasedRow, leaseDue } from './sql/leaseDue.ts';
import { loadMemos, type SavedStep } from './sql/loadMemos.ts';
import { nextWake } from './sql/nextWake.ts';
import { type Upcoming, upcomingWakes } from './upcomingWakes.ts';

/** As many runs as become due within the longest lead at 1,500 a second. More go by batches. */
export const mostAtOnce = 64;

interface Expected extends Upcoming {
  wake: ExpectedWake;
}

/**
 * Runs that are due, or within the longest lead, and have a free runner here, each with a reserved
 * slot. `leaseDueRuns` frees the slots. None if many are due.
 */
export function expectDueRuns(ctx: EngineContext): readonly Expected[] {
  const due = upcomingWakes(ctx).takeDue();
  const expected: Expected[] = [];
  for (const run of due.length > mostAtOnce ? [] : due) {
    const wake = expectWake(ctx, run, { isEarly: run.dueAtMs > performance.now() });
    if (wake) expected.push({ ...run, wake });
  }
  return expected;
}

/**
 * Wakes and leases the expected runs that are due, and announces them. `nextInMs`: as `nextWake`,
 * after that.
 */
export async function leaseDueRuns(
  ctx: EngineContext,
  expected: readonly Expected[],
): Promise<{ leased: LeasedRow[]; nextInMs: number | undefined }> {
  // A dispatcher that registers again between two reservations has two ids. Its other runs wait.
  const dispatcherId = expected[0]?.wake.dispatcherId ?? '';
  const runIds = expected.flatMap(({ runId, wake }) => (wake.dispatcherId === dispatcherId ? runId : []));
  const now = ctx.clock.sql();
  const sentMs = performance.now();
  try {
    const [leased, steps, [next]] = await oneTrip(
      ctx.db,
      leaseDue.part({ runIds, dispatcherId, now }),
      loadMemos.part({ runIds }),
      nextWake.part({ now }),
    );
    const trip = { sentMs, answeredMs: performance.now() };
    if (next) databaseClock(ctx).heard(next.clockMs, trip.answeredMs);
    ctx.bus.emit('run.moved', { runs: leased.map((run) => ({ ...run, runId: run.id })), goesOn: true });
    for (const run of leased) announceRunning(ctx, run);
    const stepsOf = new Map<string, SavedStep[]>(leased.map(({ id }) => [id, []]));
    for (const step of steps) stepsOf.get(step.runId)?.push(step);
    for (const { runId, wake } of expected) {
      const run = leased.find(({ id }) => id === runId);
      const drop = (): void => wake.committed(undefined, []);
      if (!run) drop();
      else
        delayedBegins(ctx).add(runId, {
          atMs: databaseClock(ctx).monotonic(run.dueAtMs, { ...trip, databaseMs: run.leasedAtMs }),
          begin: () => wake.committed(run, stepsOf.get(runId) ?? []),
          drop,
        });
    }
    return { leased, nextInMs: next?.nextInMs ?? undefined };
  } catch (error) {
    for (const { wake } of expected) wake.failed();
    throw error;
  }
}
