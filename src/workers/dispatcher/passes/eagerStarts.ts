import type { ClaimedPass } from '../../../engine/passes/index.ts';
import type { Routes } from '../routing/routes.ts';
import { freeSlots, type RunnerLink } from '../routing/runnerLink.ts';
import type { EagerPass } from '../seams/work.ts';

export interface EagerStartsOptions {
  routes: Routes;
  dispatcherId: () => string;
  /** Whether it is certain that no other dispatcher has taken over the leases of this one. */
  holdsLeases: () => boolean;
  /** Whether runs may wait in the lane, here or in the database. Such runs come first. */
  isAwaited: (laneId: number) => boolean;
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

  /** Undefined: no free slot, or other runs wait for it. */
  reserve(laneId: number): EagerPass | undefined {
    const { dispatcherId, holdsLeases, isAwaited, routes } = this.#options;
    const links = routes.get(laneId)?.links ?? [];
    if (!this.#hasRoom(links) || isAwaited(laneId) || !holdsLeases()) return undefined;
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

  #begin(id: string, pass: ClaimedPass): void {
    this.#reserved -= 1;
    if (id === this.#options.dispatcherId()) this.#options.take(pass);
    else this.#options.release(pass);
  }
}
