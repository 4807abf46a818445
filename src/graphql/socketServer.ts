import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, type Server } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EngineContext } from '../engine/context.ts';
import { internalError } from '../engine/errors.ts';
import { maxBodyBytes, refuseSocket } from '../http/index.ts';
import type { Documents } from './documents.ts';
import { Liveness, limitGreeting, readWhileTaken } from './socketBounds.ts';
import { closeCodes, createProtocol, type SocketExtra } from './socketProtocol.ts';
import { spliceRaw } from './spliceRaw.ts';

export interface SocketServerOptions {
  /**
   * Interval of pings, in ms. A socket that has not answered by the next one is dead. Default: 12
   * s.
   */
  pingMs?: number | undefined;
  /** Open subscriptions per socket. */
  maxSubscriptions: number;
  /** Reads documents; shared with HTTP. */
  documents: Documents;
  /** How long the first message may take, in ms. Default: 3 s. */
  initMs?: number | undefined;
  /** Grace for sockets to close when the service stops, in ms. Default: 2 s. */
  closeMs?: number | undefined;
}

/** Serves subscriptions and other operations over WebSockets (graphql-transport-ws). */
export interface GraphqlSocketServer {
  /** Takes over a connection with an upgrade at `/graphql`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Open sockets. */
  readonly size: number;
  /** Closes all sockets with 1012; resolves once they are closed. */
  stop(): Promise<void>;
}

export function createGraphqlSocketServer(engine: EngineContext, options: SocketServerOptions): GraphqlSocketServer {
  const { pingMs = 12_000, closeMs = 2_000, initMs = 3_000, maxSubscriptions, documents } = options;
  const protocol = createProtocol(engine, { maxSubscriptions, documents, initMs });
  // Compression would hold 220 KB per socket.
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxBodyBytes,
    handleProtocols,
  });
  server.on('wsClientError', refuseHandshake);
  const liveness = new Liveness();
  // A peer that does not read misses the ping, and is terminated with the dead ones.
  const pings = setInterval(() => {
    for (const socket of server.clients) liveness.ask(socket);
  }, pingMs).unref();
  return {
    handleUpgrade: (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (opened) => {
        liveness.watch(opened);
        readWhileTaken(opened, socket);
        serve(engine, protocol, { socket: opened, stream: socket, request });
      });
    },
    get size() {
      return server.clients.size;
    },
    stop: async () => {
      clearInterval(pings);
      await closeAll(server, closeMs);
    },
  };
}

/** Answers a handshake that the library refuses like every other failure. */
function refuseHandshake({ message }: Error, socket: Duplex, { method }: IncomingMessage): void {
  if (method === 'GET') refuseSocket(socket, 400, message, { 'Sec-WebSocket-Version': '13' });
  else refuseSocket(socket, 405, 'method not allowed', { Allow: 'GET' });
}

interface Opened {
  socket: WebSocket;
  /** The connection below the socket. */
  stream: Duplex;
  request: IncomingMessage;
}

function serve(engine: EngineContext, protocol: Server<SocketExtra>, { socket, stream, request }: Opened): void {
  const extra: SocketExtra = {
    socket,
    request,
    principal: undefined,
    received: '',
    releases: [],
    reading: Promise.resolve(),
    operations: new Map(),
  };
  limitGreeting(socket, stream, () => extra.principal !== undefined);
  socket.on('error', (error) => engine.log.debug({ err: error }, 'graphql socket failed'));
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      // Resolves when the message has been sent. So a slow reader slows its own subscriptions down,
      // and no messages pile up.
      send: (message) => send(engine, socket, spliceRaw(message)),
      close: (code, reason) => socket.close(code, reason),
      // The library would echo the data of the frame.
      onPing: () => send(engine, socket, pong),
      onMessage: (handle) => socket.on('message', (data) => receive(engine, extra, handle, String(data))),
    },
    extra,
  );
  socket.once('close', (code, reason) => {
    closed(code, String(reason)).catch((error: unknown) =>
      engine.log.error({ err: error }, 'graphql socket close failed'),
    );
  });
}

const pong = JSON.stringify({ type: 'pong' });

/** Never rejects: a lost peer is no fault, and its operations end with the socket. */
const send = ({ log }: EngineContext, socket: WebSocket, message: string): Promise<void> =>
  new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    socket.send(message, (error) => {
      if (error) {
        log.debug({ err: error }, 'graphql socket lost');
        socket.terminate();
      }
      resolve();
    });
  });

function receive(
  engine: EngineContext,
  extra: SocketExtra,
  handle: (message: string) => Promise<void>,
  message: string,
): void {
  extra.received = message;
  handle(message).catch((error: unknown) => {
    if (extra.socket.readyState !== extra.socket.OPEN) return;
    engine.log.error({ err: error }, 'internal error on a graphql socket');
    extra.socket.close(4500, internalError);
  });
}

async function closeAll(server: WebSocketServer, closeMs: number): Promise<void> {
  const gone = [...server.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of server.clients) socket.close(closeCodes.restarting, 'service restarting');
  const late = setTimeout(() => {
    for (const socket of server.clients) socket.terminate();
  }, closeMs);
  await Promise.all(gone);
  clearTimeout(late);
  server.close();
}
