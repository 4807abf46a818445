import { type ErrorKind, HoldfastError, internalError } from '../../engine/errors.ts';
import { HttpError, statusOfKind } from '../../http/index.ts';

export interface Failure {
  status: number;
  /** The text of `{ "error": … }`. */
  error: string;
  headers: Readonly<Record<string, string>>;
  /** Nobody expected it: it is logged, and the caller learns nothing of it. */
  isFault: boolean;
}

const none = {};
const headersOfKind: Readonly<Partial<Record<ErrorKind, Failure['headers']>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer' },
  busy: { 'retry-after': '1' },
};

/**
 * What the caller is answered for something thrown. Only `HoldfastError` and `HttpError` show their
 * text.
 */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof HttpError)
    return { status: thrown.status, error: thrown.message, headers: thrown.headers, isFault: false };
  if (thrown instanceof HoldfastError) {
    const { kind, message: error } = thrown;
    return { status: statusOfKind[kind], error, headers: headersOfKind[kind] ?? none, isFault: false };
  }
  return { status: 500, error: internalError, headers: none, isFault: true };
}

/** What REST refuses before any rule of the service is asked. */

export const unknownRoute = (): HttpError => new HttpError(404, 'not found');
export const wrongMethod = (allowed: readonly string[]): HttpError =>
  new HttpError(405, 'method not allowed', { allow: allowed.join(', ') });
export const malformedPath = (): HttpError => new HttpError(400, 'the path is not valid percent-encoded UTF-8');
export const stopping = (): HttpError =>
  new HttpError(503, 'the service is stopping', { connection: 'close', 'retry-after': '1' });
