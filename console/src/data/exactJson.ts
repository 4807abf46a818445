/** A number whose text JavaScript would print otherwise, such as `1e400` or 20 digits. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Sent as it came, where the browser can. */
  toJSON(): unknown {
    return rawJson?.(this.source) ?? Number(this.source);
  }

  toString(): string {
    return this.source;
  }
}

const rawJson = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON;

/** Parses JSON. Numbers that a double would change keep their text. */
export function parseExact(text: string): unknown {
  // The reviver costs time, and is needed for long or odd numbers only.
  return oddNumber.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text);
}

/** Digits that may not survive: 16 or more, exponents, fractions that end in 0, and -0. */
const oddNumber = /\d{16}|\d[eE][+-]?\d|\.\d*0\b|-0\b/;

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return Object.is(value, -0) || String(value) !== context.source ? new ExactNumber(context.source) : value;
}

/** Prints JSON; the counterpart of `parseExact`. */
export const printExact = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent) ?? 'null';
