import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isRefused, refuseSocket } from './http/index.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Who answers what. All surfaces share one server, so that one port is all there is to open. */
export interface ServerRoutes {
  /** Requests by exact path, ahead of `otherwise`. */
  paths: Readonly<Record<string, RequestHandler>>;
  otherwise: RequestHandler;
  /**
   * WebSocket upgrades by path, with or without a slash at its end; any other path is answered
   * `404`.
   */
  upgrades: Readonly<Record<string, UpgradeHandler>>;
}

/** Makes the HTTP server of a process. It does not listen yet. */
export function createHttpServer({ paths, otherwise, upgrades }: ServerRoutes): Server {
  const byPath = new Map(Object.entries(paths));
  const upgradeByPath = new Map(Object.entries(upgrades));
  const server = createServer(options, (request, response) => {
    if (lacksHost(request)) return answer(response, 400, 'the Host header is missing');
    const handle = byPath.get(pathOf(request)) ?? otherwise;
    handle(request, response);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    answer(response, 417, 'the expectation is not supported'),
  );
  connections.set(server, watchConnections(server));
  // Longer than the idle time of common load balancers, which would otherwise race our closing with
  // a request.
  server.keepAliveTimeout = 75_000;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!wantsWebSocket(request)) return declineUpgrade(server, request, socket, head);
    const handle = upgradeByPath.get(withoutSlash(pathOf(request)));
    if (handle) return handle(request, socket, head);
    refuseSocket(socket, 404, 'not found');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, reason] = clientErrors[error.code ?? ''] ?? [400, 'malformed HTTP request'];
    refuseSocket(socket, status, reason);
  });
  return server;
}

const wantsWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

const options = {
  // Node would refuse a request without Host itself, and say nothing.
  requireHostHeader: false,
  // From Node 24.9 on: whatever else offers an upgrade is an ordinary request.
  shouldUpgradeCallback: wantsWebSocket,
};

/**
 * Clients that could speak HTTP/2 offer it with an ordinary request, and expect its answer where
 * the offer is not taken. An older Node has stopped reading HTTP by then, so the request is put
 * back without its offer and read anew.
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
  /** Those over which nothing was asked yet: Node counts them as busy. */
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

const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion === '1.1';

/** Answers what reaches no surface, and takes no further request from such a peer. */
function answer(response: ServerResponse, status: number, reason: string): void {
  const body = JSON.stringify({ error: reason });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** A slash at the end of a path makes no difference, as with the routes of REST. */
const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/**
 * Starts to listen; resolves with the port. Rejects with a message for people when that is not
 * possible.
 */
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
    return new ListenError(`port ${port} of ${host} is in use (by another Holdfast?): stop that, or set PORT`);
  }
  if (error.code === 'EACCES') return new ListenError(`no right to listen on port ${port}: set PORT above 1023`);
  return new ListenError(`cannot listen on ${host}, port ${port}: ${error.message}`);
}

/** The service cannot listen where it should. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

function toAddressInfo(address: ReturnType<Server['address']>): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address;
}

export interface Closing {
  /**
   * How long requests are still let in: a balancer needs a moment to notice that this process is
   * not ready any more.
   */
  lingerMs?: number;
  /** How long answers may take after that. */
  graceMs?: number;
}

/**
 * Lets clients go and resolves when all connections are closed. While it lingers everything is
 * answered, with the word that the connection will be used no more; so no request is lost on one
 * that was about to be closed. Where nobody is connected it does not linger. Then connections
 * without a request are closed at once, others after their answer, or after `graceMs` at the
 * latest, and those that were refused as soon as they have their answer. Upgraded ones are their
 * owners' to close.
 */
export async function closeServer(server: Server, { lingerMs = 1_000, graceMs = 5_000 }: Closing = {}): Promise<void> {
  if (server.listening) {
    server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
    if ((await countConnections(server)) > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs));
  }
  const { open, quiet } = connections.get(server) ?? none;
  await new Promise<void>((resolve) => {
    // A connection that was busy becomes idle with its answer, and would be kept for the client's
    // next request.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of open) if (isRefused(socket) && socket.writableFinished) socket.destroy();
    }, 50);
    const patience = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(patience);
      resolve();
    });
    server.closeIdleConnections();
    for (const socket of quiet) socket.destroy();
  });
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
