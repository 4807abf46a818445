/** An authenticated caller. The operator has no stored key. */
export type Caller = { keyId: string } | { kind: 'operator' };

export const keyOf = (caller: Caller): string => ('keyId' in caller ? caller.keyId : caller.kind);

/** Limits how many sockets, streams and waiting requests each key holds open, all together. */
export class KeyPermits {
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The text for a caller whose key has no permit left. */
  get refusal(): string {
    return `at most ${this.#max} sockets and streams may be open with one key`;
  }

  /**
   * Takes a permit, and returns the function that releases it once. Undefined if the key has none
   * left.
   */
  take(caller: Caller): (() => void) | undefined {
    const key = keyOf(caller);
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
