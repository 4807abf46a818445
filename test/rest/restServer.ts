import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { expect } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import type { Fields } from '../../src/rest/declare/fields.ts';
import type { JsonSchema } from '../../src/rest/declare/jsonSchema.ts';
import { type Route, statusesOf } from '../../src/rest/declare/route.ts';
import { createRestApp, type RestApp, type RestOptions, routes } from '../../src/rest/index.ts';
import { Matcher } from '../../src/rest/matcher.ts';
import { schema } from '../../src/schema/schema.ts';
import { createTestEngine, createTestProject, type TestEngineOptions } from '../support/engine.ts';
import { keptOpen } from '../support/keptOpen.ts';
import { usualStreams } from '../support/settings.ts';

export interface Caller {
  /** A token; null for none. Default: the project's secret key. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  headers: Headers;
  /** The body as text. */
  text: string;
  /** The parsed body; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it, and fail where it is another thing.
  body: any;
}

export interface RestServer {
  engine: EngineContext;
  app: RestApp;
  url: string;
  projectId: string;
  keys: { secret: string; public: string; operator: string };
  /**
   * Sends a body that is not a string as JSON. Fails if the status is not declared for the route.
   */
  call(method: string, path: string, body?: unknown, caller?: Caller): Promise<Answered>;
  /** A second project with a secret key of its own. */
  stranger(): Promise<{ projectId: string; secret: string }>;
  close(): Promise<void>;
}

const operator = 'hf_op_for_tests_of_rest';
const declared = new Matcher([...routes]);

/** A body with every required field of a route, so that only the tested part can be refused. */
export function fittingBody({ body }: Route): Record<string, unknown> | undefined {
  return body && fittingFields(body.fields);
}

function fittingFields(fields: Fields): Record<string, unknown> {
  const demanded = Object.entries(fields).filter(([, { required }]) => required);
  return Object.fromEntries(
    demanded.map(([name, { schema, of }]) => [name, of ? [fittingFields(of)] : fittingValue(name, schema)]),
  );
}

function fittingValue(name: string, { enum: words, items }: JsonSchema): unknown {
  if (items) return [fittingValue(name, items)];
  return name === 'url' ? 'https://example.com' : (words?.[0] ?? 'x');
}

/** REST on a real socket, over an engine with a database of its own. */
export async function startRest({
  settings,
  rest: restOptions,
  extend,
  ...options
}: TestEngineOptions & {
  rest?: Partial<RestOptions>;
  extend?: (app: Express, engine: EngineContext) => void;
} = {}): Promise<RestServer> {
  const { engine, close } = await createTestEngine({ ...options, settings: { operatorKey: operator, ...settings } });
  const extension = extend && { extend: (application: Express) => extend(application, engine) };
  const app = createRestApp({ engine, schema, ...usualStreams, ...restOptions, ...extension });
  const server = createServer(keptOpen, (request, response) => app.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const projectId = await createTestProject(engine);
  const issue = async (owner: string, kind: 'secret' | 'public'): Promise<string> =>
    (await createApiKey(engine, { projectId: owner, name: `a ${kind} key`, kind })).token;
  const keys = { secret: await issue(projectId, 'secret'), public: await issue(projectId, 'public'), operator };
  return {
    engine,
    app,
    url,
    projectId,
    keys,
    call: (method, path, body, { key = keys.secret, headers } = {}) =>
      call(url, {
        method,
        path,
        body,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
      }),
    async stranger() {
      const other = await createTestProject(engine);
      return { projectId: other, secret: await issue(other, 'secret') };
    },
    async close() {
      await app.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await close();
    },
  };
}

interface Sent {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

async function call(url: string, { method, path, body, headers }: Sent): Promise<Answered> {
  const sent = bodyOf(body);
  const response = await fetch(url + path, { method, headers, ...(sent !== undefined && { body: sent }) });
  const text = await response.text();
  expectDeclared(method, path, response.status);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

/** Checks each answer of each test against the statuses that OpenAPI declares for its route. */
function expectDeclared(method: string, path: string, status: number): void {
  try {
    const match = declared.find(method, path.split('?')[0] ?? '');
    if (match) expect(statusesOf(match.route), `${method} ${match.route.path}`).toContain(status);
  } catch (error) {
    // A wrong method, or a path without a route.
    if (!(error instanceof Error && error.name === 'HttpError')) throw error;
  }
}
