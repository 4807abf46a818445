import { expect, vi } from 'vitest';
import { onFailPoint } from '../../src/engine/db/failPoints.ts';
import type { Queryable } from '../../src/engine/db/statement.ts';
import { lockWaits } from './lockWaits.ts';

interface Meeting {
  /** The fail-point at which `first` stops. */
  at: string;
  first: () => Promise<unknown>;
  second: () => Promise<unknown>;
}

/**
 * Runs `second` when `first` has reached a fail-point. Lets `first` continue when `second` has
 * ended or waits for a lock. Resolves when both have ended.
 */
export async function meet(db: Queryable, { at, first, second }: Meeting): Promise<void> {
  let met: Promise<unknown> | undefined;
  onFailPoint(async (reached) => {
    if (reached !== at || met) return;
    let isDone = false;
    met = second().finally(() => {
      isDone = true;
    });
    await vi.waitFor(async () => expect(isDone || (await lockWaits(db)) > 0).toBe(true), { timeout: 20_000 });
  });
  await first();
  expect(met).toBeDefined();
  await met;
  onFailPoint(undefined);
}
