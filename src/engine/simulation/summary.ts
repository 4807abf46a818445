import type { FlowControl } from '@holdfast/sdk/protocol';
import type { SimulatedArrival, SimulatedOutcome } from './rehearsal.ts';

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
  delayOf?: (start: SimulatedArrival) => number;
}

/** In the order in which a start meets them. */
const effects: Readonly<Record<string, Effects>> = {
  idempotency: { withholds: ['deduped'] },
  singleton: { withholds: ['skipped', 'displaced'] },
  rateLimit: { withholds: ['dropped'] },
  debounce: { withholds: ['debounced'], delayOf: (start) => (start.outcome === 'batched' ? 0 : start.bufferedMs) },
  batch: { delayOf: (start) => (start.outcome === 'batched' ? start.bufferedMs : 0) },
  throttle: { delayOf: (start) => start.spacedMs },
  concurrency: { delayOf: (start) => start.queuedMs },
  ceiling: { delayOf: (start) => start.queuedMs },
};

/** Policies about what model calls spend, which a simulation does not know. */
const ofSpend = ['tokenThrottle', 'budget', 'cap'];

export const notSimulated = (flowControl: FlowControl): string[] =>
  Object.keys(flowControl).filter((name) => ofSpend.includes(name));

/** The policies that a simulation tries. */
export const simulatedPolicies = (flowControl: FlowControl): FlowControl =>
  Object.fromEntries(Object.entries(flowControl).filter(([name]) => !ofSpend.includes(name)));

/** What each policy did. With both limits, `concurrency` stands for the ceiling, too. */
export function gatesOf(
  starts: readonly SimulatedArrival[],
  { flowControl, ceiling }: { flowControl: FlowControl; ceiling: number },
): SimulatedGate[] {
  const isCeilingAlone = ceiling > 0 && flowControl.concurrency === undefined;
  return Object.entries(effects).flatMap(([policy, { withholds = [], delayOf }]) => {
    const isActive = policy === 'ceiling' ? isCeilingAlone : policy in flowControl;
    if (!isActive) return [];
    const delays = delayOf ? starts.map(delayOf).filter((ms) => ms > 0) : [];
    const withheld = starts.filter(({ outcome }) => withholds.includes(outcome)).length;
    return [
      { policy, withheld, delayed: delays.length, medianMs: median(delays) ?? 0, longestMs: Math.max(0, ...delays) },
    ];
  });
}

/** Undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
