import type { ClaimedPass } from '../../../engine/passes/index.ts';
import type { Routes } from '../routing/routes.ts';
import { freeSlots, type RunnerLink } from '../routing/runnerLink.ts';
import type { EagerKind, EagerPass } from '../seams/work.ts';

export interface EagerStartsOptions {
  routes: Routes;
  dispatcherId: () => string;
  /** Whether it is certain that no other dispatcher has taken over the leases of this one. */
  holdsLeases: () => boolean;
  /** Whether runs may wait in the lane, here or in the database. Such runs come first. */
  isAwaited: (laneId: number) => boolean;
  /** Whether runs are known to wait in the lane, here or in the database. */
  isBacklogged: (laneId: number) => boolean;
  take: (pass: ClaimedPass) => void;
  /** Releases a run that was leased under a former id of this dispatcher. */
  release: (pass: ClaimedPass) => void;
}

/**
 * Reserves runner slots for eager starts. A reservation counts slots only. The pass looks for its
 * runner when it begins, and waits for one if the slot is gone.
 */
export class EagerStarts {
  readonly #options: EagerStartsOptions;
  #reserved = 0;

  constructor(options: EagerStartsOptions) {
    this.#options = options;
  }

  /**
   * Undefined: no free slot, or other runs wait for it. While half of the slots stay free, a run
   * that goes on need not wait for a claim that may bring others: there is room for all. An early
   * wake needs that half, because its slot stays empty for a while.
   */
  reserve(laneId: number, kind: EagerKind): EagerPass | undefined {
    const { dispatcherId, holdsLeases, isAwaited, isBacklogged, routes } = this.#options;
    const links = routes.get(laneId)?.links ?? [];
    if (!this.#hasRoom(links) || !holdsLeases()) return undefined;
    const isRoomy = kind !== 'start' && this.#isHalfFree(links);
    if (kind === 'earlyWake' && !isRoomy) return undefined;
    if (isRoomy ? isBacklogged(laneId) : isAwaited(laneId)) return undefined;
    this.#reserved += 1;
    const id = dispatcherId();
    return {
      dispatcherId: id,
      begin: (pass) => this.#begin(id, pass),
      cancel: () => {
        this.#reserved -= 1;
      },
    };
  }

  #hasRoom(links: readonly RunnerLink[]): boolean {
    let room = -this.#reserved;
    for (const link of links) {
      room += freeSlots(link);
      if (room > 0) return true;
    }
    return false;
  }

  /** Whether half of the slots would stay free. */
  #isHalfFree(links: readonly RunnerLink[]): boolean {
    let spare = -2 * (this.#reserved + 1);
    for (const link of links) spare += 2 * freeSlots(link) - link.maxInFlight;
    return spare >= 0;
  }

  #begin(id: string, pass: ClaimedPass): void {
    this.#reserved -= 1;
    if (id === this.#options.dispatcherId()) this.#options.take(pass);
    else this.#options.release(pass);
  }
}
