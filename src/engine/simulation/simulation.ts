/**
 * Owns: the order of what happens in a simulation: starts, flushes, executions and ends.
 * Does not own: what the gates decide. The engine decides it, at the instant of the moved clock.
 *
 * A run executes in one piece as soon as it may, waits for as long as the real one waited, and
 * ends. Runners are never busy.
 *
 * Invariants:
 * S1. After each moment, no run waits for a slot or for the ceiling that is free. The engine opens
 *     gates after a commit, and a simulation has none.
 * S2. Each run that is not withheld executes in the end.
 */
import { admissionTransaction, admitWithin, flushDueBuffers } from '../admission/index.ts';
import type { Withheld } from '../flow/index.ts';
import { openGates } from '../flow/policies/concurrency/index.ts';
import { buildRuns } from '../ingest/index.ts';
import { claimLimited, wakeIfDue } from '../work/index.ts';
import type { Arrival } from './arrivals.ts';
import { Moments } from './moments.ts';
import type { Scratch } from './scratch.ts';
import { isWaiting, type SimulatedArrival, SimulatedRun, type SimulatedStart, startOf } from './simulatedRun.ts';
import { type ChangedRow, changedSimulated } from './sql/changedSimulated.ts';
import { endSimulated } from './sql/endSimulated.ts';
import { gatedSimulated } from './sql/gatedSimulated.ts';
import { restSimulated } from './sql/restSimulated.ts';

export interface SimulationOptions {
  /** Of runs whose real duration is unknown. */
  usual: { activeMs: number; restMs: number };
  /** Throws when the simulation has taken too long. */
  checkTime: () => void;
}

/** How long the engine leaves a buffer whose `skip` singleton has a holder. */
const heldPauseMs = 1_000;

export class Simulation {
  readonly #scratch: Scratch;
  readonly #options: SimulationOptions;
  readonly #moments = new Moments();
  readonly #starts = new Map<string, SimulatedStart>();
  /** The runs that have not ended. */
  readonly #runs = new Map<string, SimulatedRun>();
  readonly #isLimited: boolean;
  /** Whether a run has left its slot, or its place below the ceiling; which slots. */
  #isFreed = false;
  readonly #freedSlots = new Set<string>();
  #count = 0;
  /** Only starts of a buffer that a singleton holds back are left in it. */
  #heldUntilMs: number | undefined;

  constructor(scratch: Scratch, options: SimulationOptions) {
    this.#scratch = scratch;
    this.#options = options;
    const { concurrency } = this.#policies;
    this.#isLimited = concurrency !== undefined || scratch.snapshot.concurrencyCeiling > 0;
  }

  /** Takes the starts, in order, and lets everything happen that follows from them. */
  async play(arrivals: readonly Arrival[]): Promise<SimulatedArrival[]> {
    for (const arrival of arrivals) this.#moments.add(arrival.atMs, () => this.#arrive(arrival));
    for (let moment = this.#moments.next(); moment; moment = this.#moments.next()) {
      this.#options.checkTime();
      this.#scratch.clock.advance(Math.max(0, moment.atMs - this.#nowMs));
      await moment.happen();
      await this.#settle();
    }
    const starts = [...this.#starts.values()];
    if (starts.some(isWaiting)) throw new Error('a simulated run never executes');
    return starts.map(({ arrival: _, restMs: __, ...shown }) => shown);
  }

  get #nowMs(): number {
    return this.#scratch.clock.now().getTime();
  }

  get #policies() {
    return this.#scratch.definition.flowControl ?? {};
  }

  get #onlyGate() {
    return this.#policies.concurrency ? undefined : ('ceiling' as const);
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
    const reason = admission.withheld[0]?.reason;
    const start = startOf(arrival, { outcome: reason ?? 'started', usual: this.#options.usual });
    this.#starts.set(arrival.id, start);
    const [made] = admission.intake.runs;
    if (made) this.#made(made.runId, [start], made.startAt);
    if (this.#policies.singleton) this.#noteDisplaced(await this.#changed());
    await this.#buffered(reason);
  }

  /** The buffers are flushed when they are full, and when their time has come. */
  async #buffered(reason: Withheld | undefined): Promise<void> {
    const { debounce, batch } = this.#policies;
    if (reason === 'debounced' && debounce) this.#flushAt(this.#nowMs + debounce.periodMs);
    if (reason !== 'batched' || !batch) return;
    this.#flushAt(this.#nowMs + batch.timeoutMs);
    await this.#flush();
  }

  #flushAt(atMs: number): void {
    this.#moments.addOnce(atMs, 'flush', () => this.#flush());
  }

  async #flush(): Promise<void> {
    const { ctx, snapshot } = this.#scratch;
    const { batch, singleton } = this.#policies;
    for (;;) {
      const { flushed, again } = await flushDueBuffers(ctx, snapshot.projectId);
      if (flushed === 0) break;
      // What has left `debounce` may begin a batch.
      if (batch) this.#flushAt(this.#nowMs + batch.timeoutMs);
      const rows = await this.#changed();
      this.#noteFlushed(rows);
      this.#noteDisplaced(rows);
      if (!again) break;
    }
    if (singleton?.mode === 'skip') this.#heldUntilMs = this.#nowMs + heldPauseMs;
  }

  /** A singleton is free: a buffer that waits for it is flushed at the engine's next try. */
  #flushHeld(): void {
    if (this.#heldUntilMs !== undefined) this.#flushAt(Math.max(this.#nowMs, this.#heldUntilMs));
  }

  #noteFlushed(rows: readonly ChangedRow[]): void {
    for (const { id, isDisplaced, batchIds, eventId, startAt } of rows) {
      if (isDisplaced || this.#runs.has(id)) continue;
      const isBatch = batchIds.length > 0;
      const members = (isBatch ? batchIds : [eventId ?? '']).flatMap((key) => this.#starts.get(key) ?? []);
      for (const member of members) {
        member.outcome = isBatch ? 'batched' : 'started';
        member.bufferedMs = this.#nowMs - member.atMs;
      }
      this.#made(id, members, startAt ?? undefined);
    }
  }

  #changed(): Promise<ChangedRow[]> {
    const { ctx, tx, snapshot } = this.#scratch;
    return changedSimulated(tx, { projectId: snapshot.projectId, now: ctx.clock.sql() });
  }

  /** Runs whose singleton a newer one has taken. */
  #noteDisplaced(rows: readonly ChangedRow[]): void {
    for (const { id, isDisplaced } of rows) {
      const run = isDisplaced ? this.#runs.get(id) : undefined;
      if (!run) continue;
      run.displace(this.#nowMs);
      this.#runs.delete(id);
      this.#free(run);
    }
  }

  #made(runId: string, members: readonly SimulatedStart[], startAt: Date | undefined): void {
    const readyAtMs = Math.max(startAt?.getTime() ?? 0, this.#nowMs);
    const run = new SimulatedRun(members, {
      number: this.#count,
      createdAtMs: this.#nowMs,
      readyAtMs,
      gate: this.#onlyGate,
    });
    this.#count += 1;
    this.#runs.set(runId, run);
    if (readyAtMs > this.#nowMs) this.#moments.add(readyAtMs, () => this.#wake(runId));
    else if (!this.#isLimited) this.#execute(runId);
  }

  async #wake(runId: string): Promise<void> {
    if (!this.#runs.has(runId)) return;
    const { ctx, tx } = this.#scratch;
    await wakeIfDue(tx, { runIds: [runId], now: ctx.clock.sql() });
    if (!this.#isLimited) this.#execute(runId);
  }

  /** S1: executes the runs that have a free slot, and opens the gates of what was freed. */
  async #settle(): Promise<void> {
    if (!this.#isLimited) return;
    for (;;) {
      await this.#claim();
      if (!this.#isFreed || (await this.#open()) === 0) return;
    }
  }

  async #claim(): Promise<void> {
    const { ctx, laneId, dispatcherId } = this.#scratch;
    const ready = [...this.#runs.values()].filter((run) => run.isReady(this.#nowMs)).length;
    if (ready === 0) return;
    const demands = [{ laneId, limit: ready, defaultSlot: null }];
    const claims = await claimLimited(ctx, { dispatcherId, demands });
    for (const { row, taken } of claims) this.#execute(row.id, taken.slot);
  }

  /** Answers how many runs became ready, to be claimed. */
  async #open(): Promise<number> {
    const { ctx, tx, snapshot, laneId } = this.#scratch;
    const { projectId, concurrencyCeiling } = snapshot;
    if (!this.#policies.concurrency || concurrencyCeiling === 0) {
      const slots = [...this.#freedSlots];
      this.#isFreed = false;
      this.#freedSlots.clear();
      return openGates(ctx, { slots, projectIds: concurrencyCeiling === 0 ? [] : [projectId] });
    }
    // A run that the ceiling lets pass may find its slot full, and the other way round.
    const gated = await gatedSimulated(tx, { projectId, laneId });
    for (const { runId, gate } of gated) this.#runs.get(runId)?.waitFor(gate, this.#nowMs);
    const slots = [...new Set(gated.flatMap(({ slot }) => slot ?? []))];
    const opened = gated.length === 0 ? 0 : await openGates(ctx, { slots, projectIds: [projectId] });
    this.#isFreed = opened > 0;
    return opened;
  }

  #free(run: SimulatedRun): void {
    this.#isFreed = true;
    if (run.slot !== undefined) this.#freedSlots.add(run.slot);
  }

  #execute(runId: string, slot?: string): void {
    const run = this.#runs.get(runId);
    if (!run) throw new Error('a run executes that the simulation does not know');
    run.slot = slot;
    const { activeMs, restMs } = run.execute(this.#nowMs);
    this.#moments.add(this.#nowMs + activeMs, () => (restMs > 0 ? this.#rest(runId, restMs) : this.#end(runId)));
  }

  async #rest(runId: string, restMs: number): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run) return;
    const { tx, snapshot } = this.#scratch;
    await restSimulated(tx, { projectId: snapshot.projectId, runId });
    this.#free(run);
    this.#moments.add(this.#nowMs + restMs, () => this.#end(runId));
  }

  async #end(runId: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run) return;
    const { tx, snapshot } = this.#scratch;
    await endSimulated(tx, { projectId: snapshot.projectId, runId });
    this.#runs.delete(runId);
    this.#free(run);
    this.#flushHeld();
  }
}
