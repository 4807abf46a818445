/**
 * Owns: the order of what happens in a simulation: starts, flushes, executions and ends.
 * Does not own: what the gates decide. The engine decides it, at the instant of the moved clock.
 *
 * A run executes in one piece as soon as it may, waits for as long as the real one waited, and
 * ends. Runners have room for all runs.
 */
import { admissionTransaction, admitWithin, flushDueBuffers } from '../admission/index.ts';
import type { Withheld } from '../flow/index.ts';
import { openGates } from '../flow/policies/concurrency/index.ts';
import { buildRuns } from '../ingest/index.ts';
import { claimLimited, wakeIfDue } from '../work/index.ts';
import type { Arrival } from './arrivals.ts';
import { Moments } from './moments.ts';
import type { Scratch } from './scratch.ts';
import { type ChangedRow, changedSimulated } from './sql/changedSimulated.ts';
import { endSimulated } from './sql/endSimulated.ts';
import { nextSimulatedFlush } from './sql/nextSimulatedFlush.ts';
import { restSimulated } from './sql/restSimulated.ts';

/**
 * What becomes of a start: it starts a run, is one of a batch, gives way to a later start of its
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

export interface SimulatedArrival {
  atMs: number;
  eventId: string | undefined;
  runId: string | undefined;
  outcome: SimulatedOutcome;
  /** When its run begins to execute; undefined: never. */
  startedAtMs: number | undefined;
  /** How long its run executes. */
  activeMs: number;
  /** How long a buffer, a rate, and a limit of executing runs delay it, in ms. */
  bufferedMs: number;
  spacedMs: number;
  queuedMs: number;
}

interface Simulated extends SimulatedArrival {
  arrival: Arrival;
  restMs: number;
}

/** A run of the simulation, with the starts that are in it. */
interface Run {
  members: Simulated[];
  laneId: number;
  createdAtMs: number;
  /** When it may execute at the earliest. */
  readyAtMs: number;
  /** The slot that it occupies while it executes. */
  slot: string | undefined;
}

export interface RehearsalOptions {
  /** Of runs whose real duration is unknown. */
  usualActiveMs: number;
  /** Throws when the simulation has taken too long. */
  checkTime: () => void;
}

export class Rehearsal {
  readonly #scratch: Scratch;
  readonly #options: RehearsalOptions;
  readonly #moments = new Moments();
  readonly #starts = new Map<string, Simulated>();
  readonly #runs = new Map<string, Run>();
  readonly #isBuffering: boolean;
  readonly #isLimited: boolean;
  readonly #isSingleton: boolean;

  constructor(scratch: Scratch, options: RehearsalOptions) {
    this.#scratch = scratch;
    this.#options = options;
    const { debounce, batch, concurrency, singleton } = scratch.definition.flowControl ?? {};
    this.#isBuffering = debounce !== undefined || batch !== undefined;
    this.#isLimited = concurrency !== undefined || scratch.snapshot.concurrencyCeiling > 0;
    this.#isSingleton = singleton !== undefined;
  }

  /** Takes the starts, in order, and lets everything happen that follows from them. */
  async play(arrivals: readonly Arrival[]): Promise<SimulatedArrival[]> {
    for (const arrival of arrivals) this.#moments.add(arrival.atMs, () => this.#arrive(arrival));
    for (let moment = this.#moments.next(); moment; moment = this.#moments.next()) {
      this.#options.checkTime();
      this.#advance(moment.atMs);
      await moment.happen();
    }
    return [...this.#starts.values()].map(({ arrival: _, restMs: __, ...shown }) => shown);
  }

  get #nowMs(): number {
    return this.#scratch.clock.now().getTime();
  }

  #advance(atMs: number): void {
    const { clock } = this.#scratch;
    clock.advance(Math.max(0, atMs - this.#nowMs));
  }

  async #arrive(arrival: Arrival): Promise<void> {
    const { ctx, tx, snapshot, definition } = this.#scratch;
    const { projectId, version: registryVersion } = snapshot;
    const [run] = await buildRuns(ctx, projectId, [definition], {
      ...{ origin: arrival.origin, triggerKind: 'event', eventName: definition.name, eventId: arrival.id },
      ...{ session: undefined, runner: undefined, depth: 0, tags: undefined, input: arrival.keyed },
    });
    if (!run) throw new Error('no run was built');
    const intake = { projectId, registryVersion, event: undefined, runs: [run] };
    const [admission] = await admitWithin(admissionTransaction(ctx, tx), [intake]);
    if (admission?.kind !== 'created') throw new Error('a simulated start has no outcome');
    const start = this.#noted(arrival, admission.withheld[0]?.reason);
    const [made] = admission.intake.runs;
    if (made) this.#made(made.runId, { members: [start], laneId: made.laneId, startAt: made.startAt });
    if (this.#isSingleton) await this.#noteDisplaced();
    await this.#flush();
    await this.#claim(run.laneId);
  }

  #noted(arrival: Arrival, reason: Withheld | undefined): Simulated {
    const { atMs, eventId, runId, activeMs = this.#options.usualActiveMs, restMs = 0 } = arrival;
    const outcome = reason ?? 'started';
    const delays = { bufferedMs: 0, spacedMs: 0, queuedMs: 0 };
    const start: Simulated = {
      arrival,
      atMs,
      eventId,
      runId,
      outcome,
      startedAtMs: undefined,
      activeMs,
      restMs,
      ...delays,
    };
    this.#starts.set(arrival.id, start);
    return start;
  }

  /** Flushes what is due now, and comes back for what is due later. */
  async #flush(): Promise<void> {
    if (!this.#isBuffering) return;
    const { ctx, tx, snapshot } = this.#scratch;
    const { projectId } = snapshot;
    const laneIds = new Set<number>();
    for (let again = true; again; ) {
      const report = await flushDueBuffers(ctx, projectId);
      again = report.again && report.flushed > 0;
      if (report.flushed > 0) for (const laneId of await this.#noteFlushed()) laneIds.add(laneId);
    }
    for (const laneId of laneIds) await this.#claim(laneId);
    const [next] = await nextSimulatedFlush(tx, { projectId });
    if (next) this.#moments.addOnce(Math.max(next.flushAt.getTime(), this.#nowMs + 1), 'flush', () => this.#flush());
  }

  /** Notes the runs that left a buffer. Answers their lanes. */
  async #noteFlushed(): Promise<number[]> {
    const made = (await this.#changed()).filter((row) => !row.isDisplaced && !this.#runs.has(row.id));
    for (const { id, batchIds, eventId, laneId, startAt } of made) {
      const isBatch = batchIds.length > 0;
      const members = (isBatch ? batchIds : [eventId ?? '']).flatMap((key) => this.#starts.get(key) ?? []);
      for (const member of members) {
        member.outcome = isBatch ? 'batched' : 'started';
        member.bufferedMs = this.#nowMs - member.atMs;
      }
      if (laneId !== null) this.#made(id, { members, laneId, startAt: startAt ?? undefined });
    }
    if (this.#isSingleton) await this.#noteDisplaced();
    return made.flatMap((row) => row.laneId ?? []);
  }

  #changed(): Promise<ChangedRow[]> {
    const { ctx, tx, snapshot } = this.#scratch;
    return changedSimulated(tx, { projectId: snapshot.projectId, now: ctx.clock.sql() });
  }

  /** Runs whose singleton a newer one has taken. What they freed can be taken at once. */
  async #noteDisplaced(): Promise<void> {
    const rows = await this.#changed();
    for (const { id, isDisplaced } of rows) {
      const run = this.#runs.get(id);
      if (!isDisplaced || !run) continue;
      for (const member of run.members) {
        member.outcome = 'displaced';
        member.activeMs = Math.min(member.activeMs, this.#nowMs - (member.startedAtMs ?? this.#nowMs));
      }
      this.#runs.delete(id);
      await this.#open(run);
    }
  }

  #made(runId: string, run: { members: Simulated[]; laneId: number; startAt: Date | undefined }): void {
    const { members, laneId, startAt } = run;
    const readyAtMs = Math.max(startAt?.getTime() ?? 0, this.#nowMs);
    this.#runs.set(runId, { members, laneId, createdAtMs: this.#nowMs, readyAtMs, slot: undefined });
    if (readyAtMs > this.#nowMs) this.#moments.add(readyAtMs, () => this.#wake(runId, laneId));
    else if (!this.#isLimited) this.#execute(runId);
  }

  async #wake(runId: string, laneId: number): Promise<void> {
    if (!this.#runs.has(runId)) return;
    const { ctx, tx } = this.#scratch;
    await wakeIfDue(tx, { runIds: [runId], now: ctx.clock.sql() });
    if (this.#isLimited) await this.#claim(laneId);
    else this.#execute(runId);
  }

  /** Executes the runs that have a free slot. */
  async #claim(laneId: number): Promise<void> {
    if (!this.#isLimited) return;
    const { ctx, dispatcherId } = this.#scratch;
    const demands = [{ laneId, limit: this.#runs.size + 1, defaultSlot: null }];
    const claims = await claimLimited(ctx, { dispatcherId, demands });
    for (const { row, taken } of claims) this.#execute(row.id, taken.slot);
  }

  #execute(runId: string, slot?: string): void {
    const run = this.#runs.get(runId);
    if (!run) throw new Error('a run executes that the simulation does not know');
    run.slot = slot;
    const { members, createdAtMs, readyAtMs } = run;
    for (const member of members) {
      member.startedAtMs = this.#nowMs;
      member.spacedMs = readyAtMs - createdAtMs;
      member.queuedMs = this.#nowMs - readyAtMs;
    }
    const [activeMs, restMs] = [longest(members, 'activeMs'), longest(members, 'restMs')];
    this.#moments.add(this.#nowMs + activeMs, () => (restMs > 0 ? this.#rest(runId, restMs) : this.#end(runId)));
  }

  async #rest(runId: string, restMs: number): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run) return;
    const { tx, snapshot } = this.#scratch;
    await restSimulated(tx, { projectId: snapshot.projectId, runId });
    this.#moments.add(this.#nowMs + restMs, () => this.#end(runId));
    await this.#open(run);
  }

  async #end(runId: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run) return;
    const { tx, snapshot } = this.#scratch;
    await endSimulated(tx, { projectId: snapshot.projectId, runId });
    this.#runs.delete(runId);
    await this.#open(run);
  }

  /** A slot may be free: the runs that waited for it become ready, and execute. */
  async #open({ laneId, slot }: Run): Promise<void> {
    if (!this.#isLimited) return;
    const { ctx, snapshot } = this.#scratch;
    await openGates(ctx, { slots: slot === undefined ? [] : [slot], projectIds: [snapshot.projectId] });
    await this.#claim(laneId);
  }
}

const longest = (members: readonly Simulated[], field: 'activeMs' | 'restMs'): number =>
  Math.max(0, ...members.map((member) => member[field]));
