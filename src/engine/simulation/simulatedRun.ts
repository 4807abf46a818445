import type { Arrival } from './arrivals.ts';

/**
 * What becomes of a start: it starts a run, is one of a batch, is replaced by a later start of its
 * `debounce`, is withheld by a gate, or is displaced by a newer run of its singleton.
 */
export const simulatedOutcomes = [
  'started',
  'batched',
  'debounced',
  'deduped',
  'skipped',
  'dropped',
  'displaced',
] as const;
export type SimulatedOutcome = (typeof simulatedOutcomes)[number];

/** A start that came, and what becomes of it. Times are in ms. */
export interface SimulatedArrival {
  atMs: number;
  eventId: string | undefined;
  runId: string | undefined;
  outcome: SimulatedOutcome;
  /** The number of its run in the simulation, from 0; undefined: it has none. */
  simulatedRun: number | undefined;
  /** When its run begins to execute; undefined: never. */
  startedAtMs: number | undefined;
  /** How long its run executes. */
  activeMs: number;
  /** How long buffers, a rate, and limits of executing runs delay it. */
  bufferedMs: number;
  spacedMs: number;
  queuedMs: number;
  /** The part of `queuedMs` that it waits for the ceiling. */
  ceilingMs: number;
}

export interface SimulatedStart extends SimulatedArrival {
  arrival: Arrival;
  restMs: number;
}

export function startOf(
  arrival: Arrival,
  { outcome, usual }: { outcome: SimulatedOutcome; usual: { activeMs: number; restMs: number } },
): SimulatedStart {
  const { atMs, eventId, runId, activeMs = usual.activeMs, restMs = usual.restMs } = arrival;
  const delays = { bufferedMs: 0, spacedMs: 0, queuedMs: 0, ceilingMs: 0 };
  return {
    arrival,
    atMs,
    eventId,
    runId,
    outcome,
    simulatedRun: undefined,
    startedAtMs: undefined,
    activeMs,
    restMs,
    ...delays,
  };
}

/** Whether its run should execute, and has not. */
export const isWaiting = ({ outcome, startedAtMs }: SimulatedArrival): boolean =>
  startedAtMs === undefined && (outcome === 'started' || outcome === 'batched');

/** The limit for which a run waits. */
type Gate = 'slot' | 'ceiling';

interface RunOptions {
  number: number;
  createdAtMs: number;
  /** When it may execute at the earliest. */
  readyAtMs: number;
  /** The only limit for which it can wait, if there is only one. */
  gate: Gate | undefined;
}

/** A run of a simulation, with the starts that are in it. */
export class SimulatedRun {
  /** The slot that it occupies while it executes. */
  slot: string | undefined;
  readonly #members: readonly SimulatedStart[];
  readonly #createdAtMs: number;
  readonly #readyAtMs: number;
  #startedAtMs: number | undefined;
  #gate: Gate | undefined;
  #gatedAtMs: number;
  #ceilingMs = 0;

  constructor(members: readonly SimulatedStart[], options: RunOptions) {
    const { number, createdAtMs, readyAtMs, gate } = options;
    for (const member of members) member.simulatedRun = number;
    this.#members = members;
    this.#createdAtMs = createdAtMs;
    this.#readyAtMs = readyAtMs;
    this.#gatedAtMs = readyAtMs;
    this.#gate = gate;
  }

  /** Whether it may execute, and does not. */
  isReady(nowMs: number): boolean {
    return this.#startedAtMs === undefined && this.#readyAtMs <= nowMs;
  }

  /** It waits for a slot or for the ceiling: from now on, or since it was ready. */
  waitFor(gate: Gate | undefined, nowMs: number): void {
    if (this.#gate === undefined) {
      this.#gate = gate;
      return;
    }
    if (this.#gate === 'ceiling') this.#ceilingMs += Math.max(0, nowMs - this.#gatedAtMs);
    this.#gate = gate;
    this.#gatedAtMs = nowMs;
  }

  /** Begins. Answers how long it executes, and then waits, until it ends. */
  execute(nowMs: number): { activeMs: number; restMs: number } {
    this.#startedAtMs = nowMs;
    this.#noteDelays(nowMs);
    for (const member of this.#members) member.startedAtMs = nowMs;
    const known = this.#members.filter(({ arrival }) => arrival.activeMs !== undefined);
    const timed = known.length > 0 ? known : this.#members;
    const [activeMs, restMs] = [longest(timed, 'activeMs'), longest(timed, 'restMs')];
    for (const member of this.#members) member.activeMs = activeMs;
    return { activeMs, restMs };
  }

  /** A newer run of its singleton takes its place. */
  displace(nowMs: number): void {
    if (this.#startedAtMs === undefined) this.#noteDelays(nowMs);
    for (const member of this.#members) {
      member.outcome = 'displaced';
      member.activeMs = this.#startedAtMs === undefined ? 0 : Math.min(member.activeMs, nowMs - this.#startedAtMs);
    }
  }

  #noteDelays(nowMs: number): void {
    this.waitFor(undefined, nowMs);
    for (const member of this.#members) {
      member.spacedMs = Math.min(this.#readyAtMs, nowMs) - this.#createdAtMs;
      member.queuedMs = Math.max(0, nowMs - this.#readyAtMs);
      member.ceilingMs = this.#ceilingMs;
    }
  }
}

const longest = (members: readonly SimulatedStart[], field: 'activeMs' | 'restMs'): number =>
  Math.max(0, ...members.map((member) => member[field]));
