/**
 * The handlers that runners hold suspended between two passes of their runs, as this process knows
 * of them. A pass that continues its handler means what the full pass would.
 *
 * Owns: which handler a pass may continue, and that its runner is told when it may not. Does not
 * own: what is new in the memo (the engine), the passes and their answers (Passes), what a runner
 * holds (the runner, which may let go of it at any time).
 *
 * Invariants:
 * H1. Only a pass whose lease was kept by the commit of the held answer continues its handler. So
 *     leases, fences, slots and timeouts are those of full passes, and a late answer is fenced.
 * H2. A handler is continued on the link that holds it, at most once for each answer, and only
 *     while that link takes invokes and has a free slot.
 * H3. Every other way on ends the handler: a full pass, wherever it goes, or the release of the
 *     run. The runner is told by `cancel`; if that is lost, an invoke of the run or time ends it.
 * H4. The engine decides whether the handler can learn of everything that has changed. If it
 *     cannot tell, a full pass follows.
 * H5. A runner that has let go of a handler costs one message: the full pass follows at once, at no
 *     cost to the run.
 * H6. Nothing here outlives the process, the socket or the pass: a pass of another process is full.
 */
import type { Routes } from '../routing/routes.ts';
import { freeSlots, type RunnerLink } from '../routing/runnerLink.ts';
import type { HeldPass } from './heldPasses.ts';

/** A handler, by the invoke that it answered last. */
interface Suspended {
  readonly link: RunnerLink;
  readonly of: string;
}

export interface ContinuationsOptions {
  routes: Routes;
  /** Asked before each continuation. Default: always. Tests refuse at random. */
  mayContinue: () => boolean;
}

export class Continuations {
  readonly #options: ContinuationsOptions;
  readonly #suspended = new WeakMap<HeldPass, Suspended>();

  constructor(options: ContinuationsOptions) {
    this.#options = options;
  }

  /** The runner of the answer holds the handler. */
  keep(held: HeldPass, link: RunnerLink): void {
    if (link.continue) this.#suspended.set(held, { link, of: held.invokeId });
  }

  /** H2. The runner that can continue the handler now. */
  runnerOf(held: HeldPass): RunnerLink | undefined {
    const link = this.#suspended.get(held)?.link;
    if (!link || !this.#options.routes.has(link) || link.isSuspect || freeSlots(link) === 0) return undefined;
    if (this.#options.mayContinue()) return link;
    this.end(held, 'a full pass follows');
    return undefined;
  }

  /**
   * Writes the invoke of a pass, on its link: continues its handler there, or begins a full pass.
   */
  send(held: HeldPass, link: RunnerLink): void {
    const { invokeId, pass } = held;
    const suspended = this.#suspended.get(held);
    if (suspended?.link === link) {
      const members = pass.continueText(); // H4
      if (members !== undefined) {
        this.#suspended.delete(held);
        held.isContinued = true;
        link.continue?.(invokeId, suspended.of, members);
        return;
      }
    }
    this.end(held, 'a full pass follows');
    held.isContinued = false;
    link.send(invokeId, pass.invokeText());
  }

  /** H3. The handler will not be continued. */
  end(held: HeldPass, reason: string): void {
    const suspended = this.#suspended.get(held);
    if (!suspended) return;
    this.#suspended.delete(held);
    suspended.link.cancel(suspended.of, reason);
  }
}
