import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { BodyRoom } from '../../src/http/index.ts';
import {
  AllowedPages,
  createMcp,
  defaultMcpSettings,
  Endpoint,
  type EndpointOptions,
  type McpSettings,
} from '../../src/mcp/index.ts';
import { createTestEngine, createTestProject, type TestEngineOptions } from '../support/engine.ts';
import { keptOpen } from '../support/keptOpen.ts';
import { type Anything, askMcp, type McpCaller } from './askMcp.ts';

export type { McpCaller } from './askMcp.ts';

export interface McpServer {
  engine: EngineContext;
  endpoint: Endpoint;
  bodies: BodyRoom;
  url: string;
  projectId: string;
  keys: { secret: string; public: string; operator: string };
  /** Sends a message of 2026-07-28. Answers the JSON-RPC result or error, with the HTTP status. */
  request(method: string, params?: object, caller?: McpCaller): ReturnType<typeof askMcp>;
  /** Calls a tool, and answers its result. */
  tool(name: string, given?: object, caller?: McpCaller): Promise<Anything>;
  /** A second project with a secret key of its own. */
  stranger(): Promise<{ projectId: string; secret: string }>;
  close(): Promise<void>;
}

const operator = 'hf_op_for_tests_of_mcp';

/** `/mcp` on a real socket, over an engine with a database of its own. */
export async function startMcp({
  settings,
  clock,
  mcp,
  factory,
  beside,
}: TestEngineOptions & {
  mcp?: Partial<McpSettings>;
  factory?: EndpointOptions['factory'];
  /** A server with whose database this one has an engine of its own: another process. */
  beside?: McpServer;
} = {}): Promise<McpServer> {
  const options = { settings: { operatorKey: operator, ...settings }, ...(clock && { clock }) };
  const { engine, close } = beside ? another(beside.engine, options) : await createTestEngine(options);
  const bodies = new BodyRoom(16 * 1024 * 1024);
  const all = { ...defaultMcpSettings, ...mcp };
  const at = { host: '127.0.0.1', publicUrl: undefined };
  const endpoint = factory
    ? new Endpoint({ engine, bodies, pages: new AllowedPages({ ...at, ...all }), factory })
    : createMcp({ engine, bodies, settings: all, ...at });
  const server = createServer(keptOpen, (request, response) => endpoint.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const projectId = beside?.projectId ?? (await createTestProject(engine));
  const issue = async (owner: string, kind: 'secret' | 'public'): Promise<string> =>
    (await createApiKey(engine, { projectId: owner, name: `a ${kind} key`, kind })).token;
  const keys = beside?.keys ?? {
    secret: await issue(projectId, 'secret'),
    public: await issue(projectId, 'public'),
    operator,
  };

  const request: McpServer['request'] = (method, params, caller = {}) =>
    askMcp(url, { key: keys.secret, ...caller }, { method, params });
  return {
    engine,
    endpoint,
    bodies,
    url,
    projectId,
    keys,
    request,
    async tool(name, given = {}, caller) {
      const { result, error } = await request('tools/call', { name, arguments: given }, caller);
      if (error) throw new Error(`${error.code}: ${error.message}`);
      return result;
    },
    async stranger() {
      const other = await createTestProject(engine);
      return { projectId: other, secret: await issue(other, 'secret') };
    },
    async close() {
      await endpoint.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await close();
    },
  };
}

const another = (
  { db, log, clock }: EngineContext,
  { settings }: TestEngineOptions,
): { engine: EngineContext; close(): Promise<void> } => ({
  engine: createEngine({ db, log, clock, settings: { allowPrivateTargets: true, ...settings } }),
  close: async () => undefined,
});
