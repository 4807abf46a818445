import { type ErrorKind, internalError } from '../../engine/errors.ts';
import { shownError } from '../../engine/outages.ts';
import { HttpError, statusOfKind } from '../../http/index.ts';

export interface Failure {
  status: number;
  error: string;
  headers: Readonly<Record<string, string>>;
  /** Whether the failure is unexpected, and therefore logged and hidden from the caller. */
  isFault: boolean;
}

const none = {};
const headersOfKind: Readonly<Partial<Record<ErrorKind, Failure['headers']>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer' },
  busy: { 'retry-after': '1' },
};

/**
 * The answer to a thrown error. Only `HoldfastError` and `HttpError` show their text. An outage of
 * the database is `busy`.
 */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof HttpError)
    return { status: thrown.status, error: thrown.message, headers: thrown.headers, isFault: false };
  const shown = shownError(thrown);
  if (shown) {
    const { kind, message: error } = shown;
    return { status: statusOfKind[kind], error, headers: headersOfKind[kind] ?? none, isFault: false };
  }
  return { status: 500, error: internalError, headers: none, isFault: true };
}

/** Refusals of REST itself, before the engine. */

export const unknownRoute = (): HttpError => new HttpError(404, 'not found');
export const wrongMethod = (allowed: readonly string[]): HttpError =>
  new HttpError(405, 'method not allowed', { allow: allowed.join(', ') });
export const malformedPath = (): HttpError => new HttpError(400, 'the path is not valid percent-encoded UTF-8');
export const stopping = (): HttpError =>
  new HttpError(503, 'the service is stopping', { connection: 'close', 'retry-after': '1' });
