import { type StartedStep, startedAfterMs, startedLimit } from '../protocol.ts';
import { scope } from './scope.ts';

/** Receives the steps whose bodies have been executing for a while. */
export type OnStarted = (steps: StartedStep[]) => void;

interface Body extends Omit<StartedStep, 'elapsedMs'> {
  readonly sinceMs: number;
  isTold: boolean;
}

/**
 * Tells of the bodies of a pass that execute for `startedAfterMs`, each once, several in one
 * message. One timer serves the whole pass.
 */
export class StartedBodies {
  readonly #onStarted: OnStarted;
  /** In the order of their starts. */
  readonly #bodies = new Set<Body>();
  #timer: NodeJS.Timeout | undefined;
  #told = 0;

  constructor(onStarted: OnStarted) {
    this.#onStarted = onStarted;
  }

  /** A body is called. The returned function says that it has ended. */
  begin(step: Omit<StartedStep, 'elapsedMs'>): () => void {
    const body: Body = { ...step, sinceMs: performance.now(), isTold: false };
    this.#bodies.add(body);
    this.#tellIn(startedAfterMs);
    return () => {
      this.#bodies.delete(body);
      if (this.#bodies.size === 0) this.stop();
    };
  }

  /** Tells of no more steps. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tellIn(ms: number): void {
    // Outside of the scope, so that the timer does not count as the handler's own work.
    this.#timer ??= scope.run(undefined, () => setTimeout(() => this.#tell(), Math.max(1, Math.ceil(ms))).unref());
  }

  #tell(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    const untold = [...this.#bodies].filter(({ isTold }) => !isTold);
    const due = untold.filter(({ sinceMs }) => nowMs - sinceMs >= startedAfterMs).slice(0, startedLimit - this.#told);
    const steps = due.map((body) => {
      body.isTold = true;
      const { id, name, attempt, position, sinceMs } = body;
      return { id, name, attempt, elapsedMs: Math.round(nowMs - sinceMs), position };
    });
    this.#told += steps.length;
    if (steps.length > 0) this.#onStarted(steps);
    const next = untold.find(({ isTold }) => !isTold);
    if (next && this.#told < startedLimit) this.#tellIn(next.sinceMs + startedAfterMs - nowMs);
  }
}
