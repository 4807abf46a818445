import { graphqlErrorIn, reasonIn } from '../errorReason.ts';
import { HoldfastApiError, HoldfastNetworkError } from '../errors.ts';
import { isError } from '../isError.ts';

const passing = new Set([502, 503, 504]);
const hint = 'is baseUrl the address of the service?';

/**
 * The error of a failed answer, with the service's reason. Without a reason, the message names the
 * server that answered.
 */
export function apiError({ url, status }: Response, text: string): HoldfastApiError {
  const reason = reasonIn(text) ?? `${url} answered ${status} without a reason: ${hint}`;
  return new HoldfastApiError(status, reason);
}

/** The statuses of REST for the codes of GraphQL. */
const statuses: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  NOT_CONFIGURED: 501,
  NO_RUNNER: 502,
  BUSY: 503,
};

/** The first error in an answer of GraphQL, with the status of REST; undefined if it has none. */
export function graphqlError({ ok, status }: Response, text: string): HoldfastApiError | undefined {
  const error = graphqlErrorIn(text);
  if (error === undefined) return undefined;
  return new HoldfastApiError(statuses[error.code] ?? (ok ? 500 : status), error.message);
}

/** Throws for a successful answer that the service cannot have sent. */
export function notOurs({ url, status }: Response, what: string): never {
  throw new HoldfastApiError(status, `${url} answered ${status} with ${what}: ${hint}`);
}

/** The error for an answer that is missing or incomplete. */
export function networkError(url: URL, cause: unknown): HoldfastNetworkError {
  return new HoldfastNetworkError(`no answer from ${url.href}: ${reasonOf(cause)}`, { cause });
}

/**
 * The reason why `fetch` failed, which it hides in `cause`. An `AggregateError` (several addresses)
 * has no message of its own.
 */
function reasonOf(error: unknown): string {
  if (!isError(error)) return String(error);
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  const [cause] = causes;
  return isError(cause) ? reasonOf(cause) : error.message;
}

/** Whether a retry may succeed: the network failed, or a proxy in front of the service. */
export function isPassing(cause: unknown): boolean {
  if (cause instanceof HoldfastApiError) return passing.has(cause.status);
  return cause instanceof HoldfastNetworkError;
}
