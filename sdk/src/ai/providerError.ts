import { type Fields, fieldsOf } from './fields.ts';

/**
 * Owns: how long a provider asked to wait, by the error of its client.
 * Does not own: whether the step has attempts left.
 *
 * Knows the clients of OpenAI and Anthropic (`status`, `headers`), and those that carry a plain
 * object of headers; `APICallError` of `ai` (`statusCode`, `responseHeaders`, `isRetryable`), also
 * inside of its `RetryError`.
 */

/** No provider makes a step wait longer. */
const mostMs = 86_400_000;
const causeLimit = 5;

/** The delay before the next attempt; undefined if the provider stated none. */
export function providerDelayMs(cause: unknown, nowMs = Date.now()): number | undefined {
  let error = fieldsOf(cause);
  for (let depth = 0; depth < causeLimit && error !== undefined; depth += 1) {
    const read = headersOf(error);
    if (read !== undefined) return mayRetry(error, read) ? delayMs(read, nowMs) : undefined;
    error = fieldsOf(error.lastError) ?? fieldsOf(error.cause);
  }
  return undefined;
}

type ReadHeader = (name: string) => string | undefined;

function headersOf(error: Fields): ReadHeader | undefined {
  const headers = fieldsOf(error.responseHeaders) ?? fieldsOf(error.headers);
  if (headers === undefined) return undefined;
  const { get } = headers;
  return (name) => {
    const value: unknown = typeof get === 'function' ? get.call(headers, name) : inAnyCase(headers, name);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
}

function inAnyCase(headers: Fields, name: string): unknown {
  return headers[Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name];
}

function mayRetry(error: Fields, read: ReadHeader): boolean {
  if (error.isRetryable === false || read('x-should-retry') === 'false') return false;
  const status = error.statusCode ?? error.status;
  return typeof status !== 'number' || [408, 409, 425, 429].includes(status) || status >= 500;
}

function delayMs(read: ReadHeader, nowMs: number): number | undefined {
  const ms = numberIn(read('retry-after-ms')) ?? retryAfterMs(read('retry-after'), nowMs);
  return ms === undefined ? undefined : Math.min(Math.max(0, Math.ceil(ms)), mostMs);
}

/** Seconds, or a date. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const seconds = numberIn(header);
  if (seconds !== undefined) return seconds * 1000;
  const atMs = Date.parse(header ?? '');
  return Number.isNaN(atMs) ? undefined : atMs - nowMs;
}

function numberIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : undefined;
}
