/**
 * A JSON value kept as its original text, so that `1e400`, `-0`, 20-digit integers and `__proto__`
 * keys survive. Payloads travel in this form from the edge to the column and to the runner. No part
 * encodes them again.
 */
export class RawJson {
  static #replace: ((raw: RawJson) => string) | undefined;

  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Wraps text that is known to be valid JSON: a column, or a slice of a parsed body. */
  static trusted(text: string): RawJson {
    return new RawJson(text);
  }

  /** Encodes a value of our own. Throws if JSON cannot express it. */
  static of(value: unknown): RawJson {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('not a JSON value');
    return new RawJson(text);
  }

  /** A parsed copy, for guards and keys. Large numbers lose precision here, and only here. */
  parse(): unknown {
    return JSON.parse(this.text);
  }

  /**
   * For `stringifyRaw`: while `encode` runs, `JSON.stringify` writes the string of `replace`
   * instead of a raw value.
   */
  static replacing<Result>(replace: (raw: RawJson) => string, encode: () => Result): Result {
    const before = RawJson.#replace;
    RawJson.#replace = replace;
    try {
      return encode();
    } finally {
      RawJson.#replace = before;
    }
  }

  toJSON(): unknown {
    return RawJson.#replace?.(this) ?? this;
  }
}
