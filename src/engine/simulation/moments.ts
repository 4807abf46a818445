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
    this.#insert({ atMs, happen });
  }

  /** Adds a moment of a name, unless one of that name is due as early. */
  addOnce(atMs: number, name: string, happen: () => Promise<void>): void {
    const known = this.#entries.findIndex((entry) => entry.name === name);
    const found = this.#entries[known];
    if (found && found.atMs <= atMs) return;
    if (found) this.#entries.splice(known, 1);
    this.#insert({ atMs, happen, name });
  }

  next(): Moment | undefined {
    return this.#entries.shift();
  }

  #insert(entry: Entry): void {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.atMs ?? 0) <= entry.atMs) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
  }
}
