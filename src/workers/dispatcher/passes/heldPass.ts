import type { RunnerLink } from '../routing/runnerLink.ts';
import type { ClaimedPass } from '../work.ts';

/**
 * Where a pass in memory stands.
 * - `waiting`: for a free runner.
 * - `invoked`: a runner works on it.
 * - `void`: a runner works on it, but nobody wants its answer; only its slot is still taken.
 * - `settling`: its answer is being committed.
 */
export type HeldState = 'waiting' | 'invoked' | 'void' | 'settling';

/** A pass in memory, from its claim until it is released. */
export interface HeldPass<Pass extends ClaimedPass> {
  readonly pass: Pass;
  state: HeldState;
  /** The runner whose slot it takes. */
  link: RunnerLink | undefined;
  /** Of the last invoke. */
  invokeId: string;
  /** Since when it is in this state, on the monotonic clock. */
  sinceMs: number;
  /** Lost to another dispatcher, or given up: whatever comes is dropped. */
  forgotten: boolean;
}
