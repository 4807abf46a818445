/**
 * The suspended handlers of one socket, which the service may continue.
 *
 * Owns: how many are held, and for how long.
 * Does not own: the handlers, and the answers of the passes.
 *
 * Invariants:
 * H1 A handler is held under the id of the invoke that it answered last, at most one of each run.
 * H2 A handler is continued at most once under an id: to take it ends its being held.
 * H3 At most `max` handlers are held, the least recently answered go first, and none longer than
 * `ms`.
 * H4 An invoke of the same run, a cancel, the draining and the end of the socket end the holding.
 * H5 To let go of a handler has no effect beyond memory: nothing of it runs, is aborted or is sent.
 */
import type { SuspendedHandler } from '../execute/suspendedHandler.ts';

/** What a runner holds, at most. */
export interface HeldLimits {
  /** 0: nothing is held, and the service is told so. */
  readonly maxHeld: number;
  readonly heldMs: number;
}

export interface HeldHandler {
  readonly handler: SuspendedHandler;
  /** Aborts the present pass of the handler, and `run.signal`. */
  readonly abort: AbortController;
}

export class HeldHandlers {
  readonly #limits: HeldLimits;
  /** By the id of the invoke, the least recently answered first. */
  readonly #byInvoke = new Map<string, HeldHandler & { readonly sinceMs: number }>();
  readonly #invokeOfRun = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(limits: HeldLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#byInvoke.size;
  }

  /** Whether another handler will be held, at the cost of the oldest if need be. */
  get isOpen(): boolean {
    return this.#isOpen && this.#limits.maxHeld > 0;
  }

  keep(invokeId: string, held: HeldHandler): void {
    if (!this.isOpen) return;
    this.forgetRun(held.handler.runId);
    this.#byInvoke.set(invokeId, { ...held, sinceMs: performance.now() });
    this.#invokeOfRun.set(held.handler.runId, invokeId);
    const [oldest] = this.#byInvoke.keys();
    if (this.#byInvoke.size > this.#limits.maxHeld && oldest !== undefined) this.take(oldest);
    this.#expireLater();
  }

  /** H2. Ends the holding, and returns the handler; undefined if it is not held. */
  take(invokeId: string): HeldHandler | undefined {
    const held = this.#byInvoke.get(invokeId);
    if (held === undefined) return undefined;
    this.#byInvoke.delete(invokeId);
    this.#invokeOfRun.delete(held.handler.runId);
    return held;
  }

  /** The service sent a full pass of the run, so it will not continue its handler. */
  forgetRun(runId: string): void {
    const invokeId = this.#invokeOfRun.get(runId);
    if (invokeId !== undefined) this.take(invokeId);
  }

  /** H4. Lets go of all, and holds no more. */
  close(): void {
    this.#isOpen = false;
    this.#byInvoke.clear();
    this.#invokeOfRun.clear();
    clearTimeout(this.#timer);
  }

  /** One timer serves all: the next to expire is the oldest. */
  #expireLater(): void {
    const [oldest] = this.#byInvoke.values();
    if (this.#timer !== undefined || oldest === undefined) return;
    const inMs = Math.max(1, Math.ceil(oldest.sinceMs + this.#limits.heldMs - performance.now()));
    this.#timer = setTimeout(() => this.#expire(), inMs).unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const beforeMs = performance.now() - this.#limits.heldMs;
    for (const [invokeId, { sinceMs }] of this.#byInvoke) {
      if (sinceMs > beforeMs) break;
      this.take(invokeId);
    }
    this.#expireLater();
  }
}
