import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cutWhenStuck } from '../http/index.ts';
import { page, script } from './editorPage.ts';

// GraphiQL for browsers that open /graphql. The page and its files are the same for everybody, and
// need no key. The page asks for a key, and sends it with each operation. The first operation reads
// the schema.

const jsonRange = /\bapplication\/(graphql-response\+)?json\b/i;

/** Whether a browser opens the address, and not a client of the API. */
export function wantsEditor({ method, headers: { accept = '' } }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept) && !jsonRange.test(accept);
}

/** The service serves all files. Monaco, the text editor of GraphiQL, writes style attributes. */
const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': securityPolicy,
  // The address contains the edited query.
  'referrer-policy': 'no-referrer',
};

export const sendEditor = (request: IncomingMessage, response: ServerResponse): void =>
  send(request, response, { type: 'text/html', body: page, headers: pageHeaders });

type Graphiql = typeof import('@graphql-yoga/render-graphiql/graphiql');

/** Nine megabytes, which a process reads for the first browser. */
const graphiql = (): Promise<Graphiql> => import('@graphql-yoga/render-graphiql/graphiql');

const files: Readonly<Record<string, { type: string; read(): Promise<string> }>> = {
  'editor.js': { type: 'text/javascript', read: async () => script },
  'graphiql.js': { type: 'text/javascript', read: async () => (await graphiql()).js },
  'graphiql.css': { type: 'text/css', read: async () => (await graphiql()).css },
  'editorWorkerService.js': { type: 'text/javascript', read: async () => (await graphiql()).editorWorkerService },
  'json.js': { type: 'text/javascript', read: async () => (await graphiql()).jsonWorker },
  'graphql.js': { type: 'text/javascript', read: async () => (await graphiql()).graphqlWorker },
};

/** The files of the page, by path. */
export const editorFiles: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> =
  Object.fromEntries(
    Object.entries(files).map(([name, { type, read }]) => [
      `/graphql/${name}`,
      (request, response) => {
        const sent = read().then((body) => send(request, response, { type, body, headers: {} }));
        sent.catch(() => response.destroy());
      },
    ]),
  );

interface Content {
  type: string;
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** A browser asks each time whether its copy is current. */
function send(request: IncomingMessage, response: ServerResponse, { type, body, headers }: Content): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const common = { ...headers, etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, common).end();
    return;
  }
  const length = Buffer.byteLength(body);
  response.writeHead(200, { ...common, 'content-type': `${type}; charset=utf-8`, 'content-length': length });
  cutWhenStuck(response);
  response.end(body);
}
