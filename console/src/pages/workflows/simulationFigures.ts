import type { SimulationQuery } from '../../data/generated/graphql.ts';
import { countText, durationText } from '../../design/formatTime.ts';

export type Simulation = SimulationQuery['simulateFlow'];
export type SimulatedStart = Simulation['starts'][number];
export type SimulatedGate = Simulation['gates'][number];

/** A time from one instant up to another, in ms. */
export type Stretch = readonly [from: number, to: number];

/** The figures of a simulation. */
export interface Figures {
  came: number;
  /** Runs that begin to execute. */
  runs: number;
  withheld: number;
  delayed: number;
  medianMs: number;
  longestMs: number;
  mostExecuting: number;
  mostWaiting: number;
}

export function figuresOf(simulation: Simulated): Figures {
  const { starts } = simulation;
  const executing = executions(simulation);
  const delays = starts.map(delayOf).filter((ms) => ms > 0);
  delays.sort((one, other) => one - other);
  return {
    came: starts.length,
    runs: executing.length,
    withheld: starts.filter(isWithheld).length,
    delayed: delays.length,
    medianMs: delays[Math.floor((delays.length - 1) / 2)] ?? 0,
    longestMs: delays.at(-1) ?? 0,
    // Runs shorter than a millisecond have no length.
    mostExecuting: Math.max(mostAtOnce(executing), Math.min(executing.length, 1)),
    mostWaiting: mostAtOnce(waits(starts)),
  };
}

const isWithheld = ({ outcome }: SimulatedStart): boolean => outcome !== 'STARTED' && outcome !== 'BATCHED';

const delayOf = ({ bufferedMs, spacedMs, queuedMs }: SimulatedStart): number => bufferedMs + spacedMs + queuedMs;

/** When each run executes. The starts of a batch share one. */
export function executions({ starts }: Simulated): Stretch[] {
  const runs = new Map<number | null, Stretch>();
  for (const { startedAt, activeMs, simulatedRun } of starts) {
    if (!startedAt) continue;
    const from = Date.parse(startedAt);
    runs.set(simulatedRun, [from, from + activeMs]);
  }
  return [...runs.values()];
}

type Simulated = Pick<Simulation, 'starts'>;

/** When each start waits for its run to execute. */
export const waits = (starts: readonly SimulatedStart[]): Stretch[] =>
  starts.flatMap(({ at, startedAt }) => (startedAt ? [[Date.parse(at), Date.parse(startedAt)] as const] : []));

/** The instants at which stretches begin and end, in order; of one instant, the ends first. */
export function changesOf(stretches: readonly Stretch[]): [at: number, by: number][] {
  return stretches
    .filter(([from, to]) => to > from)
    .flatMap(([from, to]): [number, number][] => [
      [from, 1],
      [to, -1],
    ])
    .sort(([one, by], [other, otherBy]) => one - other || by - otherBy);
}

function mostAtOnce(stretches: readonly Stretch[]): number {
  let [now, most] = [0, 0];
  for (const [, by] of changesOf(stretches)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** How the tried policies differ from those in force, in a sentence. */
export function differenceOf({ now, tried }: { now: Simulated; tried: Simulated }): string {
  if (isSame(now, tried)) return 'No difference: each start does the same.';
  const [before, after] = [figuresOf(now), figuresOf(tried)];
  const parts = compared.flatMap(([key, one, many]) => {
    const by = after[key] - before[key];
    return by === 0
      ? []
      : [`${countText(Math.abs(by))} ${by > 0 ? 'more' : 'fewer'} ${Math.abs(by) === 1 ? one : many}`];
  });
  const [delay, delayed] = [durationText(before.medianMs), durationText(after.medianMs)];
  if (before.delayed > 0 && after.delayed > 0 && delay !== delayed)
    parts.push(`a median delay of ${delayed}, not ${delay}`);
  return parts.length > 0 ? `As tried: ${parts.join(', ')}.` : 'As tried: the same counts, at other times.';
}

const compared: readonly [key: keyof Figures, one: string, many: string][] = [
  ['runs', 'run', 'runs'],
  ['withheld', 'start withheld', 'starts withheld'],
  ['delayed', 'start delayed', 'starts delayed'],
];

/** Whether each start does the same in both. */
function isSame(one: Simulated, other: Simulated): boolean {
  return (
    one.starts.length === other.starts.length &&
    one.starts.every(({ outcome, startedAt }, at) => {
      const that = other.starts[at];
      return outcome === that?.outcome && startedAt === that.startedAt;
    })
  );
}

export interface GatePair {
  policy: string;
  now: SimulatedGate | undefined;
  tried: SimulatedGate | undefined;
}

const gateOrder = ['idempotency', 'singleton', 'rateLimit', 'debounce', 'batch', 'throttle', 'concurrency', 'ceiling'];

/** The gates of two simulations side by side, in the order in which starts meet them. */
export function pairGates(now: readonly SimulatedGate[], tried: readonly SimulatedGate[]): GatePair[] {
  const names = [...new Set([...now, ...tried].map(({ policy }) => policy))];
  const find = (gates: readonly SimulatedGate[], name: string) => gates.find(({ policy }) => policy === name);
  return names
    .sort((one, other) => gateOrder.indexOf(one) - gateOrder.indexOf(other))
    .map((policy) => ({ policy, now: find(now, policy), tried: find(tried, policy) }));
}
