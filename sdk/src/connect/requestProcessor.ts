import { type PassReply, refusal } from '../execute/answer.ts';
import type { OnStarted } from '../execute/startedBodies.ts';
import type { Answered } from '../execute/suspendedHandler.ts';
import type { ContinueFrame, InvokeFrame, InvokeRequest } from '../protocol.ts';
import { HeldHandlers, type HeldLimits } from './heldHandlers.ts';
import type { ReplayChecks } from './replayChecks.ts';
import type { Slots } from './slots.ts';

/**
 * Runs one pass; undefined if `signal` aborted it. `onStarted`: absent if the service does not
 * want to know of started steps.
 */
export type Invoke = (
  request: InvokeRequest,
  signal: AbortSignal,
  onStarted?: OnStarted,
) => Promise<Answered | undefined>;

export interface RequestProcessorOptions {
  readonly invoke: Invoke;
  readonly slots: Slots;
  readonly held: HeldLimits;
  readonly checks: ReplayChecks;
  /** Whether the service continues handlers. */
  readonly continues: () => boolean;
  /** `isHeld`: the service may continue the handler by this id. */
  readonly answer: (id: string, reply: PassReply, isHeld: boolean) => void;
  /** Says that the handler to continue is not held, so that a full pass follows. */
  readonly lost: (id: string) => void;
  /** The receiver of a pass's started steps, by the id of its invoke. */
  readonly onStarted: (id: string) => OnStarted | undefined;
}

/** The service ignores this answer, but keeps a slot for the pass until it arrives. */
const cancelled = refusal(503, 'the pass was cancelled');

/** A pass to execute: of a handler that is called, or of one that is continued. */
interface Request {
  readonly id: string;
  readonly abort: AbortController;
  /** `lost`: the handler cannot be continued any more. */
  begin(): Promise<Answered | undefined> | 'lost';
}

/**
 * Executes the passes of one socket: as many at once as slots are free, the rest in order of
 * arrival. Holds suspended handlers between their passes, beside the slots.
 */
export class RequestProcessor {
  readonly #options: RequestProcessorOptions;
  readonly #held: HeldHandlers;
  readonly #inFlight = new Map<string, AbortController>();
  readonly #waiting: Request[] = [];
  readonly #stopListening: () => void;
  #onIdle: (() => void) | undefined;

  constructor(options: RequestProcessorOptions) {
    this.#options = options;
    this.#held = new HeldHandlers(options.held);
    this.#stopListening = options.slots.onFree(() => this.#fill());
  }

  accept({ id, request }: InvokeFrame): void {
    this.#held.forgetRun(request.ctx.runId);
    const abort = new AbortController();
    this.#queue({ id, abort, begin: () => this.#options.invoke(request, abort.signal, this.#options.onStarted(id)) });
  }

  /** Continues a held handler (H2). */
  continue(frame: ContinueFrame): void {
    const held = this.#held.take(frame.of);
    if (held === undefined || this.#options.checks.isDue(held.handler.workflow)) {
      this.#options.lost(frame.id);
      return;
    }
    const { abort, handler } = held;
    const begin: Request['begin'] = () =>
      handler.canTake(frame) ? handler.continue(frame, this.#options.onStarted(frame.id)) : 'lost';
    this.#queue({ id: frame.id, abort, begin });
  }

  /** Aborts the pass. The service ignores its answer. */
  cancel(id: string): void {
    this.#held.take(id);
    const at = this.#waiting.findIndex((request) => request.id === id);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      this.#options.answer(id, cancelled, false);
      this.#fill();
    }
    this.#inFlight.get(id)?.abort();
  }

  /** Holds no more handlers between their passes: others will continue their runs. */
  stopHolding(): void {
    this.#held.close();
  }

  /**
   * Starts no more passes and drops the queue. Returns the ids of the passes in flight, which are
   * still answered.
   */
  stopBeginning(): string[] {
    this.#waiting.length = 0;
    this.#fill();
    return [...this.#inFlight.keys()];
  }

  /** Aborts all passes, because their answers are lost with the connection. */
  abandon(): void {
    this.#stopListening();
    this.#held.close();
    this.#waiting.length = 0;
    for (const abort of this.#inFlight.values()) abort.abort();
  }

  /** Resolves when no pass is in flight or queued. Call it once. */
  async idle(): Promise<void> {
    if (this.#inFlight.size === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #queue(request: Request): void {
    this.#waiting.push(request);
    this.#fill();
  }

  /** Starts queued passes while slots are free, and resolves `idle` after the last. */
  #fill(): void {
    while (this.#waiting.length > 0 && this.#options.slots.take()) {
      const request = this.#waiting.shift();
      if (request !== undefined) void this.#process(request);
    }
    if (this.#inFlight.size === 0 && this.#waiting.length === 0) this.#onIdle?.();
  }

  async #process({ id, abort, begin }: Request): Promise<void> {
    this.#inFlight.set(id, abort);
    try {
      const begun = begin();
      if (begun === 'lost') this.#options.lost(id);
      else this.#answer(id, await begun, abort);
    } finally {
      this.#inFlight.delete(id);
      this.#options.slots.giveBack();
    }
  }

  #answer(id: string, answered: Answered | undefined, abort: AbortController): void {
    const handler = answered?.suspended;
    const isHeld = handler !== undefined && this.#held.isOpen && !abort.signal.aborted && this.#options.continues();
    // Held before the answer leaves, because its continuation may follow at once.
    if (isHeld) this.#held.keep(id, { handler, abort });
    this.#options.answer(id, answered?.reply ?? cancelled, isHeld);
  }
}
