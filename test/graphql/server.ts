import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import {
  createGraphqlHandler,
  createGraphqlSocketServer,
  Documents,
  editorFiles,
  type GraphqlSocketServer,
  type SocketServerOptions,
} from '../../src/graphql/index.ts';
import { OpenStreams } from '../../src/rest/streams/openStreams.ts';
import { keptOpen } from '../support/keptOpen.ts';
import { subscriptionsPerSocket, usualBodies, usualDocumentLimits } from '../support/settings.ts';

export interface GraphqlServer {
  url: string;
  socketUrl: string;
  sockets: GraphqlSocketServer;
  streams: OpenStreams;
  /** Open connections, of whatever kind. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

/** The GraphQL surface alone on a port of its own. */
export async function startGraphql(
  engine: EngineContext,
  options: Partial<SocketServerOptions> = {},
): Promise<GraphqlServer> {
  const documents = new Documents(usualDocumentLimits);
  const open = new OpenStreams(engine);
  const streams = { admit: open.admit.bind(open), commentMs: 15_000, slowReaderMs: 10_000 };
  const handler = createGraphqlHandler(engine, { documents, bodies: usualBodies, streams });
  const sockets = createGraphqlSocketServer(engine, {
    maxSubscriptions: subscriptionsPerSocket,
    documents,
    ...options,
  });
  const server: Server = createServer(keptOpen, (request, response) => {
    const file = editorFiles[request.url ?? ''];
    if (file) file(request, response);
    else void handler(request, response);
  });
  server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    socketUrl: `ws://127.0.0.1:${port}/graphql`,
    sockets,
    streams: open,
    connections: () => promisify(server.getConnections.bind(server))(),
    stop: async () => {
      open.endAll();
      await sockets.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface IssuedKey {
  id: string;
  token: string;
}

export async function issueKey(
  engine: EngineContext,
  projectId: string,
  kind: 'secret' | 'public',
): Promise<IssuedKey> {
  const { apiKey, token } = await createApiKey(engine, { projectId, name: `${kind} key`, kind });
  return { id: apiKey.id, token };
}
