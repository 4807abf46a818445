/**
 * Writes what an execution has to record. A write that fails for a transient reason is repeated.
 *
 * Owns: the number of transactions at once, and repetitions of writes.
 * Does not own: what is written, and in which order.
 *
 * Invariants:
 * E2. An outcome is kept until it is recorded, or until the process ends. A call that ended
 *     meanwhile still records what its send used.
 * E4. No log line holds an error that may quote a request or an answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineContext } from '../../engine/context.ts';
import { backoffMs, errorCode, isTransient } from '../../engine/db/index.ts';
import {
  beginSend,
  type CacheRef,
  keepCached,
  type Price,
  readCached,
  type SendStart,
  type Settled,
  type Settlement,
  settleCall,
  unholdLook,
} from '../../engine/inference/index.ts';
import type { HeldCall } from './heldCalls.ts';
import { Permits } from './permits.ts';
import { unstorable } from './refused.ts';

/** An outcome that is not recorded after so many tries is not the database's fault. */
const maxRefusals = 3;

export class CallRecords {
  readonly #engine: EngineContext;
  readonly #writes: Permits;
  readonly #stop = new AbortController();

  constructor(engine: EngineContext, { writes }: { writes: number }) {
    this.#engine = engine;
    this.#writes = new Permits(writes);
  }

  /** Repeats no further write. */
  stop(): void {
    this.#stop.abort();
  }

  /**
   * Records that a send begins. `mayRepeat` tells after each failure whether the send may still
   * leave. A repetition answers the send that was committed, if one was.
   */
  async begin(held: HeldCall, price: Price | undefined, mayRepeat: () => boolean): Promise<SendStart> {
    for (let failures = 1; ; failures += 1) {
      try {
        const { call, processId } = held;
        return await this.#writes.with(() => beginSend(this.#engine, call, { processId, price }));
      } catch (error) {
        if (!isTransient(error) || !mayRepeat()) throw error;
        await this.#pause(held, error, failures);
      }
    }
  }

  /** E2. Answers the outcome that was recorded: another one if the database refuses this one. */
  async settle(
    held: HeldCall,
    settlement: Omit<Settlement, 'processId'>,
  ): Promise<Pick<Settlement, 'outcome'> & { settled: Settled }> {
    let present = settlement;
    for (let failures = 0, refusals = 0; ; ) {
      try {
        const { call, processId } = held;
        // Before further sends: the outcome may hold their lane.
        const settled = await this.#writes.urgent(() => settleCall(this.#engine, call, { processId, ...present }));
        return { settled, outcome: present.outcome };
      } catch (error) {
        if (this.#stop.signal.aborted) throw error;
        failures += 1;
        refusals += isTransient(error) ? 0 : 1;
        if (refusals === maxRefusals) present = unstorable(present);
        await this.#pause(held, error, failures);
      }
    }
  }

  readCached(cached: CacheRef): Promise<string | undefined> {
    return this.#writes.with(() => readCached(this.#engine, cached));
  }

  /** Ends the turn of a call that looked into the cache only. */
  async unholdLook({ call, processId }: HeldCall): Promise<void> {
    await this.#writes.with(() => unholdLook(this.#engine, { processId, call }));
  }

  /** Keeps an answer for equal requests. It is recorded already, so a failure changes nothing. */
  async keep(cached: CacheRef, output: string): Promise<void> {
    try {
      await this.#writes.with(() => keepCached(this.#engine, cached, output));
    } catch (error) {
      this.#engine.log.warn({ code: errorCode(error) }, 'an answer could not be kept for equal requests');
    }
  }

  async #pause(held: HeldCall, error: unknown, failures: number): Promise<void> {
    warnOfCall(this.#engine, held, { error, message: 'a model call could not be recorded: retrying' });
    await delay(backoffMs(failures), undefined, { ref: false });
  }
}

/** E4 */
export function warnOfCall(
  { log }: EngineContext,
  { call: { runId, stepIndex } }: HeldCall,
  { error, message }: { error: unknown; message: string },
): void {
  const kind = error instanceof Error ? error.name : typeof error;
  log.warn({ runId, stepIndex, code: errorCode(error), kind }, message);
}
