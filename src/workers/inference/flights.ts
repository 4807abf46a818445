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

/** How a call goes on: with an answer, in a flight that it must land, or alone. */
export interface Joined {
  memo?: string;
  flight?: Flight;
}

export interface Joining {
  signal: AbortSignal;
  /** With so many calls that wait for an equal one, a call goes on alone. */
  mostFollowers: number;
}

/** Equal calls of one process that may share an answer, by the key of the cache. */
export class Flights {
  readonly #flights = new Map<string, Promise<Landing>>();
  #followers = 0;

  /** Waits for the answer of an equal call, or begins a flight. */
  async join(key: string, { signal, mostFollowers }: Joining): Promise<Joined> {
    const aborted = new Promise<'failed'>((resolve) => {
      signal.addEventListener('abort', () => resolve('failed'), { once: true });
    });
    while (!signal.aborted) {
      const flight = this.#flights.get(key);
      // Nothing may come between the question and the beginning.
      if (!flight) return { flight: this.#begin(key) };
      if (this.#followers >= mostFollowers) return {};
      this.#followers += 1;
      const landing = await Promise.race([flight, aborted]);
      this.#followers -= 1;
      // Without an answer, the first of the followers begins the next flight.
      if (typeof landing === 'object') return landing;
    }
    return {};
  }

  #begin(key: string): Flight {
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
