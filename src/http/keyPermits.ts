/** An authenticated caller. The operator has no stored key. */
type Caller = { keyId: string } | { kind: 'operator' };

/** Limits how many sockets and streams each key holds open. */
export class KeyPermits {
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  /**
   * Takes a permit, and returns the function that releases it once. Undefined if the key has none
   * left.
   */
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
