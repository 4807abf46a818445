/**
 * The identity of a caller, which lives as long as it is renewed.
 *
 * Owns: the id of the process, its heartbeat, looks at other processes, rescues of their calls.
 *
 * Invariant:
 * M1. A caller with calls renews its heartbeat. If others find it dead, it takes a new id. Calls
 *     that no other process has claimed since go on.
 */
import type { EngineContext } from '../../engine/context.ts';
import { newId } from '../../engine/ids.ts';
import { type CallRef, rescueCalls, tickProcess, Vigil } from '../../engine/inference/index.ts';
import { Loop } from '../loop.ts';
import type { HeldCalls } from './heldCalls.ts';

/** What the heartbeat tells the caller. */
export interface HeartbeatHost {
  /** These calls ended, or another process has claimed them. */
  abandon(calls: readonly CallRef[]): void;
  /** Calls of a dead process may be due. */
  rescued(): void;
  /** The process has a new id: calls may be lost or due. */
  renamed(): void;
}

export interface HeartbeatSetup {
  engine: EngineContext;
  held: HeldCalls;
  beatMs: number;
  host: HeartbeatHost;
}

/** The interval of looks at other processes with calls, so that a death is noticed at once. */
const watchMs = 1_000;

export class Heartbeat {
  readonly #setup: HeartbeatSetup;
  readonly #vigil = new Vigil();
  readonly #beats: Loop;
  readonly #rescues: Loop;
  #id = newId();
  #isBeating = false;
  #mayRescue = false;

  constructor(setup: HeartbeatSetup) {
    this.#setup = setup;
    const { log } = setup.engine;
    this.#beats = new Loop({ name: 'inference heartbeat', turn: () => this.#beat(), log });
    this.#rescues = new Loop({ name: 'inference rescue', turn: () => this.#rescue(), log });
    for (const loop of [this.#beats, this.#rescues]) loop.start();
  }

  /** Of the process, as others know it. */
  get id(): string {
    return this.#id;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#beats.stop(), this.#rescues.stop()]);
  }

  /** Begins to beat, unless it does already. */
  beginIn(ms: number): void {
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.#beats.nudge(ms);
  }

  /** M1 */
  takeNewId(): void {
    this.#setup.engine.log.warn(
      { processId: this.#id },
      'found dead by other processes: registering for inference again',
    );
    this.#id = newId();
    this.#setup.host.renamed();
  }

  /** M1 */
  async #beat(): Promise<void> {
    const { engine, held, beatMs, host } = this.#setup;
    const processId = this.#id;
    const beats = held.size > 0;
    const tick = await tickProcess(engine, { processId, beats, vigil: this.#vigil, calls: held.refs });
    this.#mayRescue = tick.mayRescue;
    if (tick.mayRescue) this.#rescues.nudge();
    host.abandon(tick.lost);
    if (beats && processId === this.#id && !tick.isAlive) this.takeNewId();
    this.#isBeating = held.size > 0 || tick.hasOthers || tick.hasSilent;
    if (this.#isBeating) this.#beats.nudge(tick.hasOthers ? Math.min(watchMs, beatMs) : beatMs);
  }

  /** Not part of the beat, because it may wait for locks. After a failure, a new look decides. */
  async #rescue(): Promise<void> {
    if (!this.#mayRescue) return;
    this.#mayRescue = false;
    await rescueCalls(this.#setup.engine, this.#id);
    this.#setup.host.rescued();
  }
}
