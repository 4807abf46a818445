import type { ListToolsResult, McpServerFactory, Server } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../../rest/index.ts';
import type { Settings } from '../declare/settings.ts';
import type { Tool } from '../declare/tool.ts';
import { toolsOf } from '../tools/index.ts';
import { callTool } from './callTool.ts';
import { serveContext } from './context.ts';
import { Exchange } from './exchange.ts';
import { instructions } from './instructions.ts';
import { ShieldedServer } from './shieldedServer.ts';

/** How long clients may keep a list, which depends on the address alone. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'private' } as const;

const options = {
  instructions,
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  cacheHints: {
    'tools/list': cacheHint,
    'resources/list': cacheHint,
    'resources/templates/list': cacheHint,
    'prompts/list': cacheHint,
    'server/discover': cacheHint,
  },
  // A client of 2025-11-25 has no channel to its person.
  inputRequired: { legacyShim: false },
} as const;

const serverInfo = { name: 'holdfast', title: 'Holdfast', version: '1.0.0' } as const;

/** Makes the server of one request. Every process makes the same one: nothing is kept. */
export const serverFactory =
  (settings: Settings): McpServerFactory =>
  ({ authInfo }) => {
    const exchange = exchangeOf(authInfo?.extra);
    const server = new ShieldedServer(exchange.call.engine, serverInfo, options);
    serve(server, exchange, settings);
    return server;
  };

/**
 * Lets a server answer its one message. A handler of each method would take more memory than all
 * else of a call that waits.
 */
function serve(server: Server, exchange: Exchange, settings: Settings): void {
  const { method } = exchange;
  if (method === 'tools/list') server.setRequestHandler(method, () => listFor(exchange));
  else if (method === 'tools/call')
    server.setRequestHandler(method, ({ params }, context) => callTool(exchange, settings, params.name, context));
  else serveContext(server, exchange, settings);
}

/** The member of the SDK's request information that holds our own. */
export const exchangeMember = 'exchange';

function exchangeOf(extra: Readonly<Record<string, unknown>> = {}): Exchange {
  const exchange = extra[exchangeMember];
  if (!(exchange instanceof Exchange)) throw new TypeError('a request of /mcp comes without its exchange');
  return exchange;
}

type Listed = ListToolsResult['tools'][number];

const lists = new WeakMap<readonly Tool[], Buffer>();

/** The list of an address is encoded once. The endpoint puts it in. */
function listFor(exchange: Exchange): { tools: Listed[] } {
  const offered = toolsOf(exchange.selection);
  const known = lists.get(offered) ?? Buffer.from(JSON.stringify({ tools: offered.map(listed) }).slice(1, -1));
  lists.set(offered, known);
  exchange.list = known;
  return { tools: [] };
}

const listed = ({ name, title, description, annotations, inputSchema, outputSchema }: Tool): Listed => ({
  name,
  title,
  description,
  inputSchema: plain(inputSchema),
  outputSchema: { type: 'object', anyOf: [plain(outputSchema), errorSchema] },
  annotations,
});

/** Clients of 2025-11-25 check the data of errors as well. */
const errorSchema = {
  type: 'object',
  properties: { error: { type: 'string' }, code: { type: 'string' } },
  required: ['error', 'code'],
} as const;

const plain = (schema: JsonSchema): Listed['inputSchema'] => ({
  ...JSON.parse(JSON.stringify(schema)),
  type: 'object',
});
