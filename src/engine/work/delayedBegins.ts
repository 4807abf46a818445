import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';

interface Delayed {
  timer: NodeJS.Timeout;
  drop: () => void;
}

/**
 * Runs that were leased a little before they are due. Each begins when it is due, and not before.
 * One that is cancelled meanwhile does not begin.
 */
class DelayedBegins {
  readonly #delayed = new Map<string, Delayed>();

  constructor({ bus }: EngineContext) {
    bus.on('run.cancelled', ({ runId }) => this.#drop(runId));
  }

  /** Calls one of both, once. `atMs`: by `performance.now()`. */
  add(runId: string, { atMs, begin, drop }: { atMs: number; begin: () => void; drop: () => void }): void {
    const inMs = atMs - performance.now();
    if (inMs <= 0) {
      begin();
      return;
    }
    // A timer counts whole milliseconds, and may be early by a part of one.
    const due = (): void => {
      this.#delayed.delete(runId);
      this.add(runId, { atMs, begin, drop });
    };
    this.#delayed.set(runId, { timer: setTimeout(due, Math.ceil(inMs)), drop });
  }

  #drop(runId: string): void {
    const delayed = this.#delayed.get(runId);
    if (!delayed) return;
    this.#delayed.delete(runId);
    clearTimeout(delayed.timer);
    delayed.drop();
  }
}

export const delayedBegins: (ctx: EngineContext) => DelayedBegins = perEngine((ctx) => new DelayedBegins(ctx));
