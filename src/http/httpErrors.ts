/** The HTTP status of each kind of engine error (7.2). */
export const statusOfKind = {
  unauthenticated: 401,
  forbidden: 403,
  suspended: 403,
  invalid: 400,
  notFound: 404,
  conflict: 409,
  noRunner: 502,
  notConfigured: 501,
  busy: 503,
} as const;

/**
 * A request that is refused before it reaches the engine: wrong route, wrong method, unreadable
 * body. The caller sees its message.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** The caller hung up before the whole request arrived, so there is no one to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

export const bodyTooLarge = (headers?: Readonly<Record<string, string>>): HttpError =>
  new HttpError(413, 'request body too large', headers);
export const tooManyBodies = (): HttpError =>
  new HttpError(503, 'too many request bodies are arriving: retry', { 'retry-after': '1' });
export const bodyNotUtf8 = (): HttpError => new HttpError(400, 'the body is not valid UTF-8');
export const encodedBody = (encoding: string): HttpError =>
  new HttpError(
    415,
    `content encoding ${JSON.stringify(encoding.slice(0, 40))} is not supported: send the body as it is`,
  );
