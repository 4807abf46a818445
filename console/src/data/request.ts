import { adoptServiceTime } from '../design/clock.ts';
import { type Credentials, headersOf } from './credentials.ts';
import { parseExact } from './exactJson.ts';
import { printBody } from './exactText.ts';
import type { Document } from './graphql.ts';
import { type ErrorCode, RequestError } from './requestError.ts';

interface Sent {
  credentials: Credentials;
  variables?: unknown;
  signal?: AbortSignal | undefined;
}

/** Runs one document over HTTP. Throws `RequestError`; of several errors it names the first. */
export async function request<Answer, Variables>(document: Document<Answer, Variables>, sent: Sent): Promise<Answer> {
  const response = await post(String(document), sent);
  adoptServiceTime(response.headers.get('date'));
  const body = await readBody(response, sent.signal);
  const [error] = body.errors ?? [];
  if (error) throw new RequestError(error.extensions?.code ?? codeOfStatus(response.status), error.message);
  if (body.data == null)
    throw new RequestError(codeOfStatus(response.status), `the service answered ${response.status}`);
  return body.data as Answer;
}

interface Body {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: ErrorCode } }[];
}

async function post(query: string, { credentials, variables, signal }: Sent): Promise<Response> {
  try {
    return await fetch('/graphql', {
      method: 'POST',
      headers: {
        ...headersOf(credentials),
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json',
      },
      body: printBody({ query, variables }),
      signal: signal ?? null,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    throw unreachable(error, signal);
  }
}

async function readBody(response: Response, signal: AbortSignal | undefined): Promise<Body> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw unreachable(error, signal);
  }
  try {
    return parseExact(text) as Body;
  } catch {
    throw new RequestError(codeOfStatus(response.status), `the service answered ${response.status} without JSON`);
  }
}

const unreachable = (error: unknown, signal: AbortSignal | undefined): RequestError =>
  signal?.aborted
    ? new RequestError('ABORTED', 'the request was given up')
    : new RequestError('NETWORK', error instanceof Error ? error.message : 'no answer');

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 404) return 'NOT_FOUND';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'BUSY';
  if (status >= 400 && status < 500) return 'BAD_USER_INPUT';
  return 'INTERNAL';
}
