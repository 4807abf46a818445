import { HttpError } from '../../http/index.ts';

/** What REST refuses before any rule of the service is asked. */

export const unknownRoute = (): HttpError => new HttpError(404, 'not found');
export const wrongMethod = (allowed: readonly string[]): HttpError =>
  new HttpError(405, 'method not allowed', { allow: allowed.join(', ') });
export const malformedPath = (): HttpError => new HttpError(400, 'the path is not valid percent-encoded UTF-8');
export const stopping = (): HttpError =>
  new HttpError(503, 'the service is stopping', { connection: 'close', 'retry-after': '1' });
