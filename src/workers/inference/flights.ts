/**
 * How a flight ended. `missed`: it was a look into the cache, and found nothing. `failed`: there is
 * no answer to share. One of the followers begins the next flight.
 */
export type Landing = { memo: string } | 'missed' | 'failed';

/** The first of several equal calls, which the others follow. */
export interface Flight {
  /** Ends the flight. Idempotent. */
  land(landing: Landing): void;
}

/** Equal calls of one process that may share an answer, by the key of the cache. */
export class Flights {
  readonly #flights = new Map<string, Promise<Landing>>();

  /** The end of an equal call's flight. Undefined: there is none to follow. */
  follow(key: string): Promise<Landing> | undefined {
    return this.#flights.get(key);
  }

  /** Begins a flight, which the caller must land. */
  begin(key: string): Flight {
    let land: (landing: Landing) => void = () => undefined;
    const landed = new Promise<Landing>((resolve) => {
      land = resolve;
    });
    this.#flights.set(key, landed);
    return {
      land: (landing) => {
        if (this.#flights.get(key) === landed) this.#flights.delete(key);
        land(landing);
      },
    };
  }
}
