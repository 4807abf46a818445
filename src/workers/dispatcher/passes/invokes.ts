/**
 * Invokes that were sent and have not ended.
 *
 * Owns: the ids of invokes, and the order in which they time out. Does not own: the consequences of
 * the end of an invoke (Passes). Keeps P2 and P4.
 */
import { randomBytes } from 'node:crypto';
import type { RunnerLink } from '../routing/runnerLink.ts';
import type { HeldPass } from './heldPasses.ts';

export class Invokes {
  /** By link and id, in the order of sending, which is the order of timeouts. */
  readonly #byLink = new Map<RunnerLink, Map<string, HeldPass>>();
  readonly #idPrefix = randomBytes(6).toString('base64url');
  #lastId = 0;

  get size(): number {
    return [...this.#byLink.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Enters an invoke of a pass, and writes it. Throws if it cannot be written; its entry then
   * remains.
   */
  begin(held: HeldPass, link: RunnerLink, write: () => void): void {
    this.#lastId += 1;
    const id = `${this.#idPrefix}${this.#lastId.toString(36)}`;
    if (!held.invoke(link, id)) return;
    const invokes = this.#byLink.get(link) ?? new Map<string, HeldPass>();
    this.#byLink.set(link, invokes.set(id, held));
    write();
  }

  /** P4. The pass of an open invoke. */
  get(link: RunnerLink, invokeId: string): HeldPass | undefined {
    return this.#byLink.get(link)?.get(invokeId);
  }

  /** P2, P4. Ends an invoke. Undefined: this link has no such invoke, or it has ended already. */
  take(link: RunnerLink, invokeId: string): HeldPass | undefined {
    const invokes = this.#byLink.get(link);
    const held = invokes?.get(invokeId);
    invokes?.delete(invokeId);
    return held;
  }

  /** Ends all invokes of a link except `kept`. */
  takeAllBut(link: RunnerLink, kept: ReadonlySet<string>): HeldPass[] {
    const ids = [...(this.#byLink.get(link)?.keys() ?? [])].filter((id) => !kept.has(id));
    return ids.flatMap((id) => this.take(link, id) ?? []);
  }

  /** Ends the invokes that were sent before that moment of the monotonic clock. */
  takeOlderThan(beforeMs: number): HeldPass[] {
    const taken: HeldPass[] = [];
    for (const invokes of this.#byLink.values()) {
      for (const [id, held] of invokes) {
        if (held.sinceMs > beforeMs) break;
        invokes.delete(id);
        taken.push(held);
      }
    }
    return taken;
  }

  /** Forgets links without invokes, except those that may get some. */
  prune(isServing: (link: RunnerLink) => boolean): void {
    for (const [link, { size }] of this.#byLink) if (size === 0 && !isServing(link)) this.#byLink.delete(link);
  }
}
