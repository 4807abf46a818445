import { randomBytes } from 'node:crypto';
import { RawJson } from '../engine/json/index.ts';

/**
 * Keeps the text of payloads in the messages of the socket library, which uses `JSON.stringify`
 * with a replacer. The replacer writes a token for each payload. The finished message gets the
 * texts in place of the tokens. No caller can know the token of this process.
 */
const token = randomBytes(16).toString('hex');
const tokens = new RegExp(`"${token}:(\\d+)"`, 'g');

let pending: string[] = [];

/** A replacer for `JSON.stringify`. Each text must go through `spliceRaw` before the next one. */
export function replaceRaw(_key: string, value: unknown): unknown {
  if (!(value instanceof RawJson)) return value;
  return `${token}:${pending.push(value.text) - 1}`;
}

/** The last message, with its payloads in place of the tokens. */
export function spliceRaw(message: string): string {
  if (pending.length === 0) return message;
  const texts = pending;
  pending = [];
  return message.replace(tokens, (_match, index: string) => texts[Number(index)] ?? 'null');
}
