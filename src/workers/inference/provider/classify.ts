import type { Refusal } from '../../../engine/inference/index.ts';
import type { AnswerHeaders } from './exchange.ts';
import { askedDelayMs } from './retryDelay.ts';
import type { ProviderError } from './wireWatch.ts';

/** What followed from the provider's own words. */
export type StreamFailure = Refusal | 'unknown';

const repeatable: ReadonlySet<number> = new Set([408, 409, 425]);
const keyStatuses: ReadonlySet<number> = new Set([401, 402, 403]);

/** Codes and types of a quota or a spend limit. */
const spent: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'enforced_spend_limit_reached',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'credit_balance_too_low',
]);

/** The class of an answer that is no success. */
export function refusalOf(status: number, headers: AnswerHeaders, error: ProviderError, now: Date): Refusal {
  if (keyStatuses.has(status)) return { kind: 'exhausted' };
  const isBusy = status === 429 || status === 529 || (status === 503 && hasDelay(headers));
  if (!isBusy && !repeatable.has(status) && status < 500) return { kind: 'final' };
  // A spend limit or a quota does not pass by itself, whatever the headers say.
  if (status === 429 && isSpent(error)) return { kind: 'exhausted' };
  if (headers['x-should-retry'] === 'false') return { kind: 'exhausted' };
  if (!isBusy) return { kind: 'transient' };
  const retryAfterMs = askedDelayMs(headers, now);
  return retryAfterMs === undefined ? { kind: 'overloaded' } : { kind: 'overloaded', retryAfterMs };
}

const hasDelay = (headers: AnswerHeaders): boolean =>
  headers['retry-after'] !== undefined || headers['retry-after-ms'] !== undefined;

const isSpent = ({ type, code }: ProviderError): boolean => spent.has(type ?? '') || spent.has(code ?? '');

/**
 * The class of an error inside an answer that began as a success. A server's own failure after the
 * model began may have been billed, so its end is unknown.
 */
export function streamFailureOf(error: ProviderError, hasOutput: boolean): StreamFailure {
  const words = [error.type ?? '', error.code ?? ''];
  const says = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
  if (isSpent(error) || says(/^(authentication|permission)_error$|invalid_api_key|^40[123]$/)) {
    return { kind: 'exhausted' };
  }
  if (says(/overloaded|rate_limit|too_many_requests|RESOURCE_EXHAUSTED|^429$|^529$/)) return { kind: 'overloaded' };
  if (hasOutput) return 'unknown';
  if (says(/^invalid_|not_found_error|request_too_large|context_length|^40[04]$|^4(13|22)$/)) return { kind: 'final' };
  return says(/^(api|server|timeout|internal_server)_error$|^50\d$/) ? { kind: 'transient' } : 'unknown';
}
