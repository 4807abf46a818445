/**
 * The caller of a process: sends model calls to their providers. Many processes may each run one.
 *
 * Owns: looks and claims, start and stop. Does not own: the execution of a call, which is
 * `Executions`'; the id and the heartbeat of the process (M1: `heartbeat.ts`).
 *
 * Invariants:
 * M2. Claims happen one after the other. So `releaseStrays` finds only leases whose answer was
 *     lost.
 * M3. While nothing is due and no process has calls, the caller asks nothing but its polls.
 * M4. `stop` claims nothing more, hands unsent calls on at once, and waits a while for requests
 *     under way. Then it ends them, records that, and hands their calls on, too.
 */
import type { EngineContext } from '../../engine/context.ts';
import { errorCode } from '../../engine/db/index.ts';
import {
  type BegunSend,
  type CallRef,
  claimCalls,
  findLostCalls,
  firstPlace,
  type LeasedCall,
  offerSeats,
  releaseCalls,
  releaseStrays,
  retireProcess,
  viewCalls,
} from '../../engine/inference/index.ts';
import { Loop } from '../loop.ts';
import { within } from '../within.ts';
import { Accesses } from './accesses.ts';
import { CallSeats } from './callSeats.ts';
import { Executions } from './executions.ts';
import { Heartbeat } from './heartbeat.ts';
import { type HeldCall, HeldCalls } from './heldCalls.ts';
import { listenForCalls } from './hints.ts';
import { type CallerOptions, defaultOptions } from './options.ts';
import { Connections, callModel as callProvider } from './provider/index.ts';

export interface CallerSetup {
  engine: EngineContext;
  /** Options that are left out have defaults. */
  options?: Partial<CallerOptions>;
}

/** Sends offloaded model calls (4.10 `Infer`). */
export class ModelCaller {
  readonly #engine: EngineContext;
  readonly #options: CallerOptions;
  readonly #connections = new Connections();
  readonly #accesses: Accesses;
  readonly #held = new HeldCalls();
  readonly #executions: Executions;
  readonly #seats: CallSeats;
  readonly #heartbeat: Heartbeat;
  readonly #turns: Loop;
  readonly #losses: Loop;
  #after: string = firstPlace;
  #isSuspect = false;
  #isDraining = false;
  #isFreeingStrays = false;
  #idlers: (() => void)[] = [];
  #unlisten: (() => void)[] = [];
  #stopping: Promise<void> | undefined;

  constructor({ engine, options }: CallerSetup) {
    this.#engine = engine;
    this.#options = { ...defaultOptions, ...options };
    this.#accesses = new Accesses(engine, this.#options.accessMs);
    const { log } = engine;
    this.#turns = new Loop({ name: 'model calls', everyMs: this.#options.pollMs, turn: () => this.#turn(), log });
    this.#losses = new Loop({ name: 'ended model calls', turn: () => this.#findLost(), restMs: lossesMs, log });
    this.#heartbeat = new Heartbeat({
      engine,
      held: this.#held,
      beatMs: this.#options.beatMs,
      host: {
        abandon: (calls) => this.#abandon(calls),
        rescued: () => this.#turns.nudge(),
        renamed: () => {
          this.#losses.nudge();
          this.#turns.nudge();
        },
      },
    });
    this.#executions = new Executions({
      engine,
      accesses: this.#accesses,
      callModel: (call) => callProvider({ ...call, connections: this.#connections }),
      writes: this.#options.writes,
      host: {
        release: (held, inMs) => void this.#release([held], inMs),
        ended: (held, inMs) => this.#ended(held, inMs),
        suspect: () => this.#suspect(),
        isDraining: () => this.#isDraining,
      },
    });
    this.#seats = new CallSeats({
      processId: () => this.#heartbeat.id,
      room: () => (this.#isDraining || this.#isFreeingStrays ? 0 : this.#room()),
      reaches: (projectId, provider) => this.#accesses.reaches(projectId, provider),
      isIdle: () => this.#held.size === 0,
      take: ({ call, send }, processId) => this.#take(call, processId, send),
      suspect: () => this.#suspect(),
      onIdle: () => this.#settled(),
    });
    this.#losses.start();
  }

  start(): void {
    const { bus } = this.#engine;
    this.#unlisten = [
      listenForCalls(bus, {
        onDue: () => this.#turns.nudge(),
        hasRun: (runId) => this.#held.hasRun(runId),
        onChanged: () => this.#losses.nudge(),
      }),
      bus.on('registry.changed', () => this.#accesses.clear()),
      offerSeats(this.#engine, (question) => this.#seats.reserve(question)),
    ];
    this.#turns.start();
  }

  /** M4. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Sends all calls that are due, and resolves when their ends are recorded. For tests. */
  async runOnce(): Promise<void> {
    await this.#turn();
    await this.idle();
  }

  /** Resolves when no call is held, or about to be. */
  async idle(): Promise<void> {
    if (this.#held.size + this.#seats.reserved > 0) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  stats(): { calls: number; sending: number } {
    const sending = this.#held.all.filter(({ phase }) => phase === 'sending').length;
    return { calls: this.#held.size, sending };
  }

  async #stop(): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#isDraining = true;
    await this.#turns.stop();
    await this.#release(this.#held.all.filter(({ phase }) => phase === 'preparing'));
    await within(this.#engine.settings.inference.drainMs, this.idle());
    for (const held of this.#held.all) {
      held.isHandedOn = true;
      held.abort();
    }
    await within(graceMs, this.idle());
    this.#executions.stop();
    await within(graceMs, Promise.all([this.#heartbeat.stop(), this.#losses.stop()]));
    await within(graceMs, this.#retire());
    await within(graceMs, this.#connections.close());
  }

  async #retire(): Promise<void> {
    try {
      await retireProcess(this.#engine, this.#heartbeat.id);
    } catch (error) {
      this.#engine.log.warn({ err: error }, 'retiring from inference failed: others will find this process dead');
    }
  }

  /** Looks whether calls are due, and claims them. */
  async #turn(): Promise<void> {
    if (this.#isSuspect) await this.#freeStrays();
    const view = await viewCalls(this.#engine, { processId: this.#heartbeat.id });
    if (view.nextInMs !== undefined) this.#turns.nudge(Math.ceil(view.nextInMs));
    if (view.hasOthers) {
      // They may die, and their calls be sent again.
      this.#turns.nudge(this.#options.beatMs);
      this.#heartbeat.beginIn(0);
    }
    if (view.isDue) await this.#claimAll();
  }

  /** Claims until nothing more is due, or there is no more room. */
  async #claimAll(): Promise<void> {
    while (!this.#isDraining) {
      const room = this.#room() - this.#seats.reserved;
      // The end of a call nudges the next turn.
      if (room < 1) return;
      const hasMore = await this.#claim(room);
      if (!hasMore) return;
    }
  }

  #room(): number {
    return this.#engine.settings.limits.inferenceProcessConcurrency - this.#held.size;
  }

  async #claim(room: number): Promise<boolean> {
    const processId = this.#heartbeat.id;
    const registers = this.#held.size === 0;
    try {
      const question = { processId, registers, room, after: this.#after };
      const { calls, hasMore, isContended, isAlive, nextAfter, nextInMs } = await claimCalls(this.#engine, question);
      this.#after = nextAfter;
      if (!isAlive) this.#heartbeat.takeNewId();
      if (nextInMs !== undefined) this.#turns.nudge(Math.ceil(nextInMs));
      for (const call of calls) this.#take(call, processId);
      if (isContended) this.#turns.nudge(contendedMs);
      return hasMore && !(isContended && calls.length === 0);
    } catch (error) {
      this.#isSuspect = true;
      throw error;
    }
  }

  /** Executes a leased call. `send`: it is in the ledger already. */
  #take(call: LeasedCall, processId: string, send?: BegunSend): void {
    this.#heartbeat.beginIn(this.#options.beatMs);
    const held = this.#held.take(call, processId);
    if (held) void this.#executions.execute(held, send);
  }

  /** A run with calls here has changed. It may have ended. */
  async #findLost(): Promise<void> {
    const calls = this.#held.refs;
    if (calls.length > 0) this.#abandon(await findLostCalls(this.#engine, { calls }));
  }

  /** Calls that ended, or that another process has claimed. What they used is still recorded. */
  #abandon(lost: readonly CallRef[]): void {
    for (const ref of lost) this.#held.find(ref)?.abort();
  }

  async #release(released: readonly HeldCall[], inMs = 0): Promise<void> {
    for (const held of released) {
      held.abort();
      this.#held.drop(held);
    }
    for (const processId of new Set(released.map((held) => held.processId))) {
      const calls = released.filter((held) => held.processId === processId).map(({ call }) => call);
      try {
        await releaseCalls(this.#engine, { processId, calls, inMs });
      } catch (error) {
        this.#engine.log.warn({ code: errorCode(error) }, 'releasing model calls failed: retrying later');
        this.#suspect();
      }
    }
    this.#settled();
  }

  #ended(held: HeldCall, inMs: number | undefined): void {
    this.#held.drop(held);
    this.#turns.nudge(Math.ceil(inMs ?? 0));
    this.#settled();
  }

  #settled(): void {
    if (this.#held.size + this.#seats.reserved === 0) for (const resolve of this.#idlers.splice(0)) resolve();
  }

  #suspect(): void {
    this.#isSuspect = true;
    this.#turns.nudge(suspectMs);
  }

  async #freeStrays(): Promise<void> {
    // Seats are leases whose answer is under way.
    if (this.#seats.reserved > 0) return this.#turns.nudge(suspectMs);
    this.#isFreeingStrays = true;
    const known = this.#held.refs;
    const freed = await releaseStrays(this.#engine, { processId: this.#heartbeat.id, known }).finally(() => {
      this.#isFreeingStrays = false;
    });
    this.#isSuspect = false;
    if (freed > 0) this.#engine.log.info({ calls: freed }, 'freed model calls whose claim was not answered');
  }
}

const graceMs = 2_000;
const suspectMs = 200;
/** Another process has locked the keys with due calls, for as long as a claim lasts. */
const contendedMs = 20;
/** Many changes of runs make one look for ended calls. */
const lossesMs = 50;
