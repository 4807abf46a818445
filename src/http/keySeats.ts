/** A caller, as authenticated: the operator has no key that is kept. */
type Caller = { keyId: string } | { kind: 'operator' };

/** Counts what each key holds open, up to a ceiling. */
export class KeySeats {
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  /** Takes a seat; how to give it back, once. Undefined where the key has none left. */
  take(caller: Caller): (() => void) | undefined {
    const key = 'keyId' in caller ? caller.keyId : caller.kind;
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#max) return undefined;
    this.#taken.set(key, taken + 1);
    return () => {
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    };
  }
}
