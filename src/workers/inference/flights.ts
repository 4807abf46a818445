/** The first of several equal calls, which the others follow. */
export interface Flight {
  /** Ends the flight: with the memo that all get, or without one. Idempotent. */
  land(memo: string | undefined): void;
}

/** Equal calls of one process that may share an answer, by the key of the cache. */
export class Flights {
  readonly #flights = new Map<string, Promise<string | undefined>>();

  /** The memo of an equal call, once it has landed. Undefined: there is none to follow. */
  follow(key: string): Promise<string | undefined> | undefined {
    return this.#flights.get(key);
  }

  /** Begins a flight, which the caller must land. */
  begin(key: string): Flight {
    let land: (memo: string | undefined) => void = () => undefined;
    const landed = new Promise<string | undefined>((resolve) => {
      land = resolve;
    });
    this.#flights.set(key, landed);
    return {
      land: (memo) => {
        if (this.#flights.get(key) === landed) this.#flights.delete(key);
        land(memo);
      },
    };
  }
}
