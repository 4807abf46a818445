import { randomBytes } from 'node:crypto';
import { RawJson } from '../engine/json/index.ts';

/**
 * Payloads through an encoder that is not ours: the socket library writes its messages with
 * `JSON.stringify`, and knows only a replacer. So a payload is written as a token, and the tokens
 * are exchanged for the texts in the finished message. Nobody outside can know this process's
 * token.
 */
const token = randomBytes(16).toString('hex');
const tokens = new RegExp(`"${token}:(\\d+)"`, 'g');

let pending: string[] = [];

/**
 * For `JSON.stringify`. What it writes must go through `spliceRaw` before anything else is written
 * with it.
 */
export function replaceRaw(_key: string, value: unknown): unknown {
  if (!(value instanceof RawJson)) return value;
  return `${token}:${pending.push(value.text) - 1}`;
}

/** The message that was just written, with its payloads in place. */
export function spliceRaw(message: string): string {
  if (pending.length === 0) return message;
  const texts = pending;
  pending = [];
  return message.replace(tokens, (_match, index: string) => texts[Number(index)] ?? 'null');
}
