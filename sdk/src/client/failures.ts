import { reasonIn } from '../errorReason.ts';
import { HoldfastApiError, HoldfastNetworkError } from '../errors.ts';
import { isError } from '../isError.ts';

const passing = new Set([502, 503, 504]);
const hint = 'is baseUrl the address of the service?';

/** The service's refusal, in its own words; where it has none of those, whose answer it is. */
export function apiError({ url, status }: Response, text: string): HoldfastApiError {
  const reason = reasonIn(text) ?? `${url} answered ${status}, without a reason as the service gives one: ${hint}`;
  return new HoldfastApiError(status, reason);
}

/** Throws: somebody answers that all is well, but does not answer as the service does. */
export function notOurs({ url, status }: Response, what: string): never {
  throw new HoldfastApiError(status, `${url} answered ${status} with ${what}: ${hint}`);
}

/** No answer came, or not the whole of it. */
export function networkError(url: URL, cause: unknown): HoldfastNetworkError {
  return new HoldfastNetworkError(`no answer from ${url.href}: ${reasonOf(cause)}`, { cause });
}

/**
 * `fetch` says only that it failed, and hides why in a cause; that of several addresses tried has
 * no message of its own.
 */
function reasonOf(error: unknown): string {
  if (!isError(error)) return String(error);
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  const [cause] = causes;
  return isError(cause) ? reasonOf(cause) : error.message;
}

/** A failure that another try may not meet: of the network, or of a proxy before the service. */
export function isPassing(cause: unknown): boolean {
  if (cause instanceof HoldfastApiError) return passing.has(cause.status);
  return cause instanceof HoldfastNetworkError;
}
