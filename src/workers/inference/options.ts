import { beatTimes } from '../../engine/inference/index.ts';

/** Times in ms, and bounds. Limits of the contract are settings of the engine instead. */
export interface CallerOptions {
  /** The interval of looks for calls whose hint was lost. The scheduler looks more often. */
  pollMs: number;
  /** The interval of heartbeats while there are calls, here or elsewhere. */
  beatMs: number;
  /** How long a provider's key is kept after it was read. */
  accessMs: number;
  /** Transactions at once. The connections are shared with the other parts of the process. */
  writes: number;
}

export const defaultOptions: CallerOptions = {
  pollMs: 3_600_000,
  beatMs: beatTimes.beatMs,
  accessMs: 5_000,
  writes: 4,
};
