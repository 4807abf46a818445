import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';

/** Headers by their names in lower case. */
export type AnswerHeaders = Dispatcher.ResponseData['headers'];

/** An answer of a receiver, as far as it was read. */
export interface ReadAnswer {
  statusCode: number;
  headers: AnswerHeaders;
  /** The first bytes of the body. */
  body: Buffer;
}

/** The bytes of an answer's body that are kept. */
const snippetBytes = 1_024;

/**
 * The beginning of a body as text: UTF-8, or else Latin-1, without U+0000. Undefined if there is
 * none, or if it is compressed.
 */
export function snippetOf({ headers, body }: ReadAnswer): string | undefined {
  const encoding = headers['content-encoding'];
  if (body.length === 0 || (encoding !== undefined && encoding !== 'identity')) return undefined;
  const start = withoutCutCharacter(body);
  return start.toString(isUtf8(start) ? 'utf8' : 'latin1').replaceAll('\0', '');
}

/** The first bytes, without a character at the end that the cut has divided. */
function withoutCutCharacter(body: Buffer): Buffer {
  const start = body.subarray(0, snippetBytes);
  if (body.length <= snippetBytes) return start;
  let end = start.length;
  // A character has at most three further bytes.
  while (end > start.length - 3 && isContinuation(body[end])) end -= 1;
  const whole = start.subarray(0, end);
  return isUtf8(whole) ? whole : start;
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

const secretHeaders: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

/** The headers of an answer as JSON, without the values of cookies. */
export function recordedHeaders(headers: AnswerHeaders): string {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    secretHeaders.has(name.toLowerCase()) ? '[redacted]' : value,
  ]);
  return JSON.stringify(Object.fromEntries(shown));
}

/** The delay of a `Retry-After`: seconds, or a date. Undefined if it is neither. */
export function retryAfterMs(headers: AnswerHeaders, now: Date): number | undefined {
  const given = headers['retry-after'];
  const text = typeof given === 'string' ? given.trim() : undefined;
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
