import type { ClaimedPass } from '../../../engine/passes/index.ts';
import type { Routes } from '../routing/routes.ts';
import { freeSlots, type RunnerLink } from '../routing/runnerLink.ts';
import type { PassSeat } from '../seams/work.ts';

export interface SeatsOptions {
  routes: Routes;
  dispatcherId: () => string;
  /** Whether it is certain that nobody has taken over what was claimed here. */
  holdsLeases: () => boolean;
  /** Whether runs may wait in the lane, here or in the database: they come first. */
  isAwaited: (laneId: number) => boolean;
  take: (pass: ClaimedPass) => void;
  /** Hands back what was leased under an id that was given up meanwhile. */
  release: (pass: ClaimedPass) => void;
}

/**
 * Keeps slots of runners for runs that are about to start. A seat is a promise about room only: the
 * pass finds its runner when it is taken in, and waits for one where that has gone.
 */
export class Seats {
  readonly #options: SeatsOptions;
  #given = 0;

  constructor(options: SeatsOptions) {
    this.#options = options;
  }

  /** Undefined: no free slot, or somebody waits for it. */
  give(laneId: number): PassSeat | undefined {
    const { dispatcherId, holdsLeases, isAwaited, routes } = this.#options;
    const links = routes.get(laneId)?.links ?? [];
    if (!this.#hasRoom(links) || isAwaited(laneId) || !holdsLeases()) return undefined;
    this.#given += 1;
    const id = dispatcherId();
    return {
      dispatcherId: id,
      take: (pass) => this.#taken(id, pass),
      leave: () => {
        this.#given -= 1;
      },
    };
  }

  #hasRoom(links: readonly RunnerLink[]): boolean {
    let room = -this.#given;
    for (const link of links) {
      room += freeSlots(link);
      if (room > 0) return true;
    }
    return false;
  }

  #taken(id: string, pass: ClaimedPass): void {
    this.#given -= 1;
    if (id === this.#options.dispatcherId()) this.#options.take(pass);
    else this.#options.release(pass);
  }
}
