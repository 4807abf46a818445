import type { AnswerHeaders } from './exchange.ts';

/**
 * How long a provider asks to wait: `retry-after-ms`, else `Retry-After` in seconds or as a date.
 * Undefined if neither can be read. The caller caps it.
 */
export function askedDelayMs(headers: AnswerHeaders, now: Date): number | undefined {
  const ms = numberOf(headers['retry-after-ms']);
  if (ms !== undefined) return Math.ceil(ms);
  const given = headers['retry-after'];
  const seconds = numberOf(given);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  // Dates begin with the day of the week. The parser would take other text, too.
  if (typeof given !== 'string' || !/^[A-Za-z]{3}/.test(given.trim())) return undefined;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

function numberOf(value: string | string[] | undefined): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
