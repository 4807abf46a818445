import { vi } from 'vitest';
import type { ManualClock } from '../../../../src/engine/clock.ts';

/** Time passes, a second at each look, until that is so: ten seconds of ours at most. */
export const passUntil = (clock: ManualClock, isSo: () => Promise<unknown>): Promise<unknown> =>
  vi.waitFor(
    () => {
      clock.advance(1_000);
      return isSo();
    },
    { timeout: 10_000 },
  );
