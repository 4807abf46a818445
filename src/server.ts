import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  ConnectionGate,
  cutUnreadBody,
  foreignOrigin,
  isRefused,
  maxDiscardedBytes,
  Origins,
  refuseSocket,
} from './http/index.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * The handlers of one server. REST, GraphQL and runners share it, so that a process needs one port.
 */
export interface ServerRoutes {
  /** Handlers by exact path, tried before `otherwise`. */
  paths: Readonly<Record<string, RequestHandler>>;
  otherwise: RequestHandler;
  /**
   * Handlers of WebSocket upgrades by path, with or without a trailing slash. Other paths get
   * `404`.
   */
  upgrades: Readonly<Record<string, UpgradeHandler>>;
  /** Upgrades by pages of other origins get `403`. Default: the service's own origin. */
  origins?: Origins | undefined;
  /** Headers of the refusals of unreadable requests, which no handler sees. */
  refusalHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Limits of a server's connections. Times are in ms. */
export interface ServerLimits {
  /** Open connections. Further ones are closed at once. Default: no limit. */
  connections?: number | undefined;
  /** Requests of one connection that are handled at once. Further ones wait in the connection. */
  requestsPerConnection: number;
  /** Requests that have been read and wait, over all connections. */
  heldRequests: number;
  headersMs: number;
  /** The time in which a whole request must arrive. Its answer may take longer. */
  requestMs: number;
  /** The interval at which both times are checked. */
  checkMs: number;
  unreadBytes: number;
  unreadMs: number;
}

const usualLimits: ServerLimits = {
  requestsPerConnection: 16,
  heldRequests: 10_000,
  headersMs: 30_000,
  requestMs: 60_000,
  checkMs: 5_000,
  unreadBytes: maxDiscardedBytes,
  unreadMs: 5_000,
};

/** Creates the HTTP server of a process. The caller lets it listen. */
export function createHttpServer(
  { paths, otherwise, upgrades, origins = new Origins(), refusalHeaders }: ServerRoutes,
  differing: Partial<ServerLimits> = {},
): Server {
  const limits = { ...usualLimits, ...differing };
  const byPath = new Map(Object.entries(paths));
  const upgradeByPath = new Map(Object.entries(upgrades));
  const gate = new ConnectionGate({ perConnection: limits.requestsPerConnection, maxHeld: limits.heldRequests });
  const server = createServer(optionsFor(limits), (request, response) => {
    gate.enter(request, response, () => {
      cutUnreadBody(request, response, limits);
      const handle = byPath.get(pathOf(request)) ?? otherwise;
      const mistake = headerMistake(request);
      if (mistake) answer(response, 400, mistake);
      else handle(request, response);
    });
  });
  if (limits.connections !== undefined) server.maxConnections = limits.connections;
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    answer(response, 417, 'the expectation is not supported'),
  );
  connections.set(server, watchConnections(server));
  // Longer than the idle timeout of common load balancers. Otherwise the server could close a
  // connection while a request arrives.
  server.keepAliveTimeout = 75_000;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has released the connection, so earlier answers could mix with the new protocol.
    if (gate.isBusy(socket)) {
      socket.destroy();
      return;
    }
    if (!wantsWebSocket(request)) return declineUpgrade(server, request, socket, head);
    const mistake = headerMistake(request);
    if (mistake) return refuseSocket(socket, 400, mistake);
    const handle = upgradeByPath.get(withoutSlash(pathOf(request)));
    if (!handle) return refuseSocket(socket, 404, 'not found');
    if (origins.isForeign(request)) return refuseSocket(socket, 403, foreignOrigin);
    handle(request, socket, head);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, reason] = clientErrors[error.code ?? ''] ?? [400, 'malformed HTTP request'];
    gate.whenIdle(socket, () => socket.writable && refuseSocket(socket, status, reason, refusalHeaders));
  });
  return server;
}

const wantsWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

const optionsFor = ({ headersMs, requestMs, checkMs }: ServerLimits) => ({
  // Node's own refusal of a request without Host has no message.
  requireHostHeader: false,
  // From Node 24.9 on, other offered upgrades are ordinary requests.
  shouldUpgradeCallback: wantsWebSocket,
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: checkMs,
});

/**
 * HTTP/2 clients offer an upgrade with an ordinary request, and expect its answer if the offer is
 * declined. Older versions of Node have stopped parsing by then. So the request is put back without
 * the offer, and parsed again.
 */
function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (const [index, name] of request.rawHeaders.entries()) {
    const isOffer = /^(connection|upgrade|http2-settings)$/i.test(name);
    if (index % 2 === 0 && !isOffer) lines.push(`${name}: ${request.rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

interface Connections {
  open: ReadonlySet<Socket>;
  /** Connections without a request so far, which Node counts as busy. */
  quiet: ReadonlySet<Socket>;
}

const connections = new WeakMap<Server, Connections>();
const none: Connections = { open: new Set(), quiet: new Set() };

function watchConnections(server: Server): Connections {
  const open = new Set<Socket>();
  const quiet = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    quiet.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      quiet.delete(socket);
    });
  });
  server.on('request', ({ socket }: IncomingMessage) => quiet.delete(socket));
  server.on('upgrade', ({ socket }: IncomingMessage) => quiet.delete(socket));
  return { open, quiet };
}

const clientErrors: Readonly<Record<string, [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'request headers too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
};

/**
 * Node would use the first of two headers, and a proxy in front of it perhaps the second. So one of
 * them would be checked, and the other one used.
 */
function headerMistake({ headers, httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return 'the Host header is missing';
  if (isRepeated(rawHeaders, 'authorization')) return 'the Authorization header is there twice';
  return isRepeated(rawHeaders, 'host') ? 'the Host header is there twice' : undefined;
}

/** Names and values alternate. */
function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at];
    if (each?.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** Answers a malformed request, and closes the connection. */
function answer(response: ServerResponse, status: number, reason: string): void {
  const body = JSON.stringify({ error: reason });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** Ignores a trailing slash, like the routes of REST. */
const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** Starts to listen, and resolves with the port. Rejects with a `ListenError`. */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, host, port)));
    server.listen({ host, port, backlog: 1024 }, () => {
      server.removeAllListeners('error');
      resolve(toAddressInfo(server.address()).port);
    });
  });
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new ListenError(`port ${port} of ${host} is in use (by another Holdfast?): stop it, or set PORT`);
  }
  if (error.code === 'EACCES') return new ListenError(`no permission to listen on port ${port}: set PORT above 1023`);
  return new ListenError(`cannot listen on ${host}, port ${port}: ${error.message}`);
}

/** The address or port cannot be used. The message says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

function toAddressInfo(address: ReturnType<Server['address']>): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address;
}

export interface Closing {
  /**
   * How long new requests are accepted: a load balancer needs a moment to notice that this process
   * is not ready.
   */
  lingerMs?: number;
  /** How long the answers may take after that. */
  graceMs?: number;
}

/**
 * Closes the server, and resolves when all connections are closed. First it lingers: it answers
 * every request, with `Connection: close`, so that no request is lost. Without connections it does
 * not linger. Then it closes idle connections at once, and others after their answer or `graceMs`.
 * Refused connections close when the peer has its answer. The owners of upgraded sockets close
 * those.
 */
export async function closeServer(server: Server, { lingerMs = 1_000, graceMs = 5_000 }: Closing = {}): Promise<void> {
  if (server.listening) {
    server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
    if ((await countConnections(server)) > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs));
  }
  const { open, quiet } = connections.get(server) ?? none;
  await new Promise<void>((resolve) => {
    // A busy connection becomes idle after its answer, and Node would keep it for the next request.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of open) if (isRefused(socket) && socket.writableFinished) socket.destroy();
    }, 50);
    const timeout = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(timeout);
      resolve();
    });
    server.closeIdleConnections();
    for (const socket of quiet) socket.destroy();
  });
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
