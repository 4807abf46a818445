import { type PassReply, refusal } from '../execute/answer.ts';
import type { OnStarted } from '../execute/startedBodies.ts';
import type { InvokeFrame, InvokeRequest } from '../protocol.ts';
import type { Slots } from './slots.ts';

/**
 * Runs one pass; undefined if `signal` aborted it. `onStarted`: absent if the service does not
 * want to know of started steps.
 */
export type Invoke = (
  request: InvokeRequest,
  signal: AbortSignal,
  onStarted?: OnStarted,
) => Promise<PassReply | undefined>;

export interface RequestProcessorOptions {
  readonly invoke: Invoke;
  readonly slots: Slots;
  readonly answer: (id: string, reply: PassReply) => void;
  /** The receiver of a pass's started steps, by the id of its invoke. */
  readonly onStarted: (id: string) => OnStarted | undefined;
}

/** The service ignores this answer, but keeps a slot for the pass until it arrives. */
const cancelled = refusal(503, 'the pass was cancelled');

/**
 * Executes the passes of one socket: as many at once as slots are free, the rest in order of
 * arrival.
 */
export class RequestProcessor {
  readonly #options: RequestProcessorOptions;
  readonly #inFlight = new Map<string, AbortController>();
  readonly #waiting: InvokeFrame[] = [];
  readonly #stopListening: () => void;
  #onIdle: (() => void) | undefined;

  constructor(options: RequestProcessorOptions) {
    this.#options = options;
    this.#stopListening = options.slots.onFree(() => this.#fill());
  }

  accept(frame: InvokeFrame): void {
    this.#waiting.push(frame);
    this.#fill();
  }

  /** Aborts the pass. The service ignores its answer. */
  cancel(id: string): void {
    const at = this.#waiting.findIndex((frame) => frame.id === id);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      this.#options.answer(id, cancelled);
      this.#fill();
    }
    this.#inFlight.get(id)?.abort();
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

  /** Starts queued passes while slots are free, and resolves `idle` after the last. */
  #fill(): void {
    while (this.#waiting.length > 0 && this.#options.slots.take()) {
      const frame = this.#waiting.shift();
      if (frame !== undefined) void this.#process(frame);
    }
    if (this.#inFlight.size === 0 && this.#waiting.length === 0) this.#onIdle?.();
  }

  async #process(frame: InvokeFrame): Promise<void> {
    const abort = new AbortController();
    this.#inFlight.set(frame.id, abort);
    try {
      const reply = await this.#options.invoke(frame.request, abort.signal, this.#options.onStarted(frame.id));
      this.#options.answer(frame.id, reply ?? cancelled);
    } finally {
      this.#inFlight.delete(frame.id);
      this.#options.slots.giveBack();
    }
  }
}
