import type { FlowControl } from '@holdfast/sdk/protocol';
import type { SimulatedArrival, SimulatedOutcome } from './simulatedRun.ts';

/** What a policy did to the starts of a simulation. */
export interface SimulatedGate {
  /** The policy, or `ceiling`. */
  policy: string;
  /** Starts that got no run, or whose run was displaced. */
  withheld: number;
  /** Starts that it delayed. */
  delayed: number;
  /** The median of these delays, and the longest one, in ms. */
  medianMs: number;
  longestMs: number;
}

interface Effects {
  withholds?: readonly SimulatedOutcome[];
  delayOf?: (start: SimulatedArrival, policies: FlowControl) => number;
}

/** The time in a `debounce` buffer. */
const debouncedMs = ({ bufferedMs }: SimulatedArrival, { debounce }: FlowControl): number =>
  debounce ? Math.min(bufferedMs, debounce.periodMs) : 0;

/** The time in a `batch` buffer, after that. */
const batchedMs = (start: SimulatedArrival, policies: FlowControl): number =>
  policies.batch ? Math.min(start.bufferedMs - debouncedMs(start, policies), policies.batch.timeoutMs) : 0;

/** In the order in which a start meets them. */
const effects: Readonly<Record<string, Effects>> = {
  idempotency: { withholds: ['deduped'] },
  singleton: {
    withholds: ['skipped', 'displaced'],
    // With `skip`, a buffer that is due waits for the holder.
    delayOf: (start, policies) => start.bufferedMs - debouncedMs(start, policies) - batchedMs(start, policies),
  },
  rateLimit: { withholds: ['dropped'] },
  debounce: { withholds: ['debounced'], delayOf: debouncedMs },
  batch: { delayOf: batchedMs },
  throttle: { delayOf: ({ spacedMs }) => spacedMs },
  concurrency: { delayOf: ({ queuedMs, ceilingMs }) => queuedMs - ceilingMs },
  ceiling: { delayOf: ({ ceilingMs }) => ceilingMs },
};

/** Policies about what model calls spend, which a simulation does not know. */
const ofSpend = ['tokenThrottle', 'budget', 'cap'];

export const notSimulated = (flowControl: FlowControl): string[] =>
  Object.keys(flowControl).filter((name) => ofSpend.includes(name));

/** The policies that a simulation tries. */
export const simulatedPolicies = (flowControl: FlowControl): FlowControl =>
  Object.fromEntries(Object.entries(flowControl).filter(([name]) => !ofSpend.includes(name)));

/** What each policy did. */
export function gatesOf(
  starts: readonly SimulatedArrival[],
  { flowControl, ceiling }: { flowControl: FlowControl; ceiling: number },
): SimulatedGate[] {
  return Object.entries(effects).flatMap(([policy, { withholds = [], delayOf }]) => {
    if (policy === 'ceiling' ? ceiling === 0 : !(policy in flowControl)) return [];
    const delays = delayOf ? starts.map((start) => delayOf(start, flowControl)).filter((ms) => ms > 0) : [];
    const withheld = starts.filter(({ outcome }) => withholds.includes(outcome)).length;
    const [medianMs, longestMs] = [median(delays) ?? 0, Math.max(0, ...delays)];
    return [{ policy, withheld, delayed: delays.length, medianMs, longestMs }];
  });
}

/** Undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
