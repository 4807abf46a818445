/** Something that happens at an instant. */
export interface Moment {
  atMs: number;
  happen: () => Promise<void>;
}

interface Entry extends Moment {
  name?: string;
}

/** Moments in order. Of those at one instant, the one that was added first comes first. */
export class Moments {
  readonly #entries: Entry[] = [];

  add(atMs: number, happen: () => Promise<void>): void {
    this.#entries.splice(this.#placeAfter(atMs), 0, { atMs, happen });
  }

  /** Adds a moment of a name, unless there is one of that name at that instant. */
  addOnce(atMs: number, name: string, happen: () => Promise<void>): void {
    const place = this.#placeAfter(atMs);
    for (let at = place - 1; this.#entries[at]?.atMs === atMs; at -= 1) if (this.#entries[at]?.name === name) return;
    this.#entries.splice(place, 0, { atMs, happen, name });
  }

  next(): Moment | undefined {
    return this.#entries.shift();
  }

  /** Behind all that happens until then. */
  #placeAfter(atMs: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
