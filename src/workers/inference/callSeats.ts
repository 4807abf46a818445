import type { BegunCall, SeatQuestion, Seats } from '../../engine/inference/index.ts';

export interface CallSeatsOptions {
  processId: () => string;
  /** How many more calls the process may have; 0: it may begin none now. */
  room: () => number;
  /** Whether the process knows how to reach a provider, so that no look-up comes first. */
  reaches: (projectId: string, provider: string) => boolean;
  /** Whether the process has no calls, so that it does not renew its heartbeat. */
  isIdle: () => boolean;
  take: (begun: BegunCall, processId: string) => void;
  /** Calls may be leased to this process that it does not know. */
  suspect: () => void;
  /** The last seat is free. */
  onIdle: () => void;
}

/** A heartbeat is renewed if it is older, in ms. The beats of the calls follow in time. */
const freshMs = 1_000;

/** Reserves seats for calls that are about to be recorded in this process. */
export class CallSeats {
  readonly #options: CallSeatsOptions;
  #reserved = 0;
  /** The last heartbeat by a seat, on the monotonic clock. */
  #beat = { processId: '', atMs: 0 };

  constructor(options: CallSeatsOptions) {
    this.#options = options;
  }

  get reserved(): number {
    return this.#reserved;
  }

  /**
   * Undefined: the calls go into the queue. A call under way may be leased already, and this
   * process does not know it yet. So no stray is freed while a seat is reserved.
   */
  reserve({ projectId, providers }: SeatQuestion): Seats | undefined {
    const { processId, reaches, room } = this.#options;
    const count = providers.length;
    if (room() - this.#reserved < count) return undefined;
    // Each is asked, because the question also reads what is not known.
    const known = [...new Set(providers)].filter((provider) => reaches(projectId, provider));
    if (known.length < new Set(providers).size) return undefined;
    const id = processId();
    const atMs = performance.now();
    const registers = this.#mustRegister(id, atMs);
    this.#reserved += count;
    return {
      processId: id,
      registers,
      begin: (begun) => {
        if (registers && begun.length > 0) this.#beat = { processId: id, atMs };
        for (const each of begun) this.#options.take(each, id);
        this.#free(count);
      },
      cancel: (isUncertain) => {
        if (isUncertain) this.#options.suspect();
        this.#free(count);
      },
    };
  }

  #mustRegister(processId: string, nowMs: number): boolean {
    const isFresh = this.#beat.processId === processId && nowMs - this.#beat.atMs < freshMs;
    return this.#options.isIdle() && this.#reserved === 0 && !isFresh;
  }

  #free(count: number): void {
    this.#reserved -= count;
    if (this.#reserved === 0) this.#options.onIdle();
  }
}
