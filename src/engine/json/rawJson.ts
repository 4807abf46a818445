/**
 * A JSON value kept as the text that was sent, so that `1e400`, `-0`, 20-digit integers and
 * `__proto__` keys come back as they came. Payloads travel as this from the edge to the column and
 * on to the runner; nothing re-encodes them.
 */
export class RawJson {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Wraps text that is known to be valid JSON: a column, or a slice of a parsed body. */
  static trusted(text: string): RawJson {
    return new RawJson(text);
  }

  /** Encodes a value of our own making. Throws on what JSON cannot say. */
  static of(value: unknown): RawJson {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('not a JSON value');
    return new RawJson(text);
  }

  /**
   * A parsed copy, for guards and keys. Numbers beyond doubles lose precision here, and only here.
   */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}
