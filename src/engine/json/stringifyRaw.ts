import { randomBytes } from 'node:crypto';
import { RawJson } from './rawJson.ts';

/**
 * `JSON.stringify` that writes each `RawJson`, at any depth, as its text. For plain data and
 * objects with `toJSON`: `undefined` members are omitted, and `undefined` elements become null.
 * Throws `TypeError` on values that JSON cannot express, and on cycles.
 */
export function stringifyRaw(value: unknown): string {
  const raws: RawJson[] = [];
  const text = RawJson.replacing(
    (raw) => {
      raws.push(raw);
      return token;
    },
    () => stringify(value),
  );
  if (text === undefined) throw new TypeError('not a JSON value');
  return raws.length === 0 ? text : splice(text, raws);
}

/**
 * The native encoder writes a token for each raw part, which is five times faster than an encoder
 * of ours. No caller can know the token of this process.
 */
const token = randomBytes(16).toString('hex');
const quotedToken = `"${token}"`;

/** The native encoder has written the tokens in the order of the raw parts. */
function splice(text: string, raws: readonly RawJson[]): string {
  const pieces: string[] = [];
  text.split(quotedToken).forEach((piece, at) => {
    pieces.push(piece);
    const raw = raws[at];
    if (raw) pieces.push(raw.text);
  });
  return pieces.join('');
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The value is nested too deeply, which is a bug: input is refused at a lower limit.
    if (error instanceof RangeError) throw new TypeError('value is nested too deeply', { cause: error });
    throw error;
  }
}
