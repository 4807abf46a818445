import type { IncomingMessage, ServerResponse } from 'node:http';
import { originSet, pageOf } from './origins.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What a page of another origin may send and read (CORS). */
export interface PageRules {
  methods: string;
  requestHeaders: string;
  /** The headers of answers that the page may read, beside those that browsers always show. */
  exposedHeaders: string;
}

/**
 * Lets the page of a request read the answer. Answers the request itself if it only asks for
 * permission, and returns true then. Allows no cookies: keys are sent in a header, so a page sends
 * only keys that it has.
 */
export function allowPage(request: IncomingMessage, response: ServerResponse, rules: PageRules): boolean {
  const { origin = '' } = request.headers;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  if (request.method !== 'OPTIONS') {
    response.setHeader('access-control-expose-headers', rules.exposedHeaders);
    return false;
  }
  response.setHeader('access-control-allow-methods', rules.methods);
  response.setHeader('access-control-allow-headers', rules.requestHeaders);
  response.setHeader('access-control-max-age', '600');
  response.writeHead(204).end();
  return true;
}

/** The rules of REST and GraphQL. */
export const apiRules: PageRules = {
  methods: 'GET, HEAD, POST, PATCH, DELETE',
  requestHeaders:
    'Authorization, Content-Type, Accept, Cache-Control, Last-Event-ID, X-Strict, X-Service-Project, X-Service-Actor',
  exposedHeaders: 'X-Next-Cursor, X-Next-From, X-Request-Id, Retry-After, Allow, WWW-Authenticate',
};

/**
 * The headers with which refusals of unreadable requests reach pages. The origin of such a request
 * is unknown. So all pages may read that it was too large or too late, and no more.
 */
export const refusalPermission = (origins: readonly string[]): Readonly<Record<string, string>> =>
  origins.length === 0 ? {} : { 'Access-Control-Allow-Origin': '*' };

/**
 * Returns a function that opens a handler for pages of the origins. Answers to other pages get no
 * permission, so that their browsers show them nothing.
 */
export function crossOrigin(origins: readonly string[]): (handle: Handler) => Handler {
  if (origins.length === 0) return (handle) => handle;
  const allowed = originSet(origins);
  return (handle) => (request, response) => {
    // A cache must not give one page the permission of another.
    response.setHeader('vary', 'origin');
    const page = pageOf(request.headers.origin ?? '');
    const isAnswered = page !== undefined && allowed.has(page.origin) && allowPage(request, response, apiRules);
    if (!isAnswered) handle(request, response);
  };
}
