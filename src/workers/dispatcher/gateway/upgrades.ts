import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { frameLimitBytes } from '@holdfast/sdk/protocol';
import { WebSocketServer } from 'ws';
import { busy, type ErrorKind, forbidden, internalError, invalid } from '../../../engine/errors.ts';
import { type Credentials, type Principal, requireProject } from '../../../engine/keys/index.ts';
import { shownError } from '../../../engine/outages.ts';
import { credentialsOf, refuseSocket, statusOfKind } from '../../../http/index.ts';
import { restartingReason } from './closing.ts';
import type { Gateway, SocketOwner } from './gateway.ts';
import { GatewaySocket } from './gatewaySocket.ts';

export interface UpgradesOptions {
  gateway: Gateway;
  authenticate: (credentials: Credentials, isGone: () => boolean) => Promise<Principal>;
  nextConnectionNo: () => Promise<number>;
  /** Logs an error that the runner does not see. */
  onHidden: (error: unknown) => void;
  /** Takes a permit for a socket of the caller's key, and returns the function that releases it. */
  takeSeat: (principal: Principal) => (() => void) | undefined;
  /** The text for a caller who gets no permit. */
  seatRefusal: string;
  timeoutMs: number;
}

const headersOfKind: Readonly<Partial<Record<ErrorKind, Record<string, string>>>> = {
  unauthenticated: { 'WWW-Authenticate': 'Bearer' },
  busy: { 'Retry-After': '1' },
};

/** `GET /connect`: accepts secret keys, and answers all others in plain HTTP (4.10, 5). */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameLimitBytes,
    WebSocket: GatewaySocket,
  });
  #isClosed = false;

  constructor(options: UpgradesOptions) {
    this.#options = options;
    // Without this, the library would refuse a handshake in HTML.
    this.#server.on('wsClientError', ({ message }: Error, socket: Duplex, { method }: IncomingMessage) => {
      if (method === 'GET') refuse(socket, 400, message, { 'Sec-WebSocket-Version': '13' });
      else refuse(socket, 405, 'method not allowed', { Allow: 'GET' });
    });
  }

  /** From now on every upgrade is answered 503. */
  close(): void {
    this.#isClosed = true;
  }

  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the library handles errors, a peer that drops its socket must not end the process.
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    void this.#admit(request, socket).then(
      (owner) => {
        if (socket.destroyed) return;
        if (this.#isClosed) return refuse(socket, 503, restartingReason);
        this.#server.handleUpgrade(request, socket, head, (ws) => {
          socket.off('error', ignore);
          this.#options.gateway.add(ws, socket, owner);
        });
      },
      (error: unknown) => this.#refuse(socket, error),
    );
  }

  async #admit(request: IncomingMessage, socket: Duplex): Promise<SocketOwner> {
    const { authenticate, nextConnectionNo, seatRefusal, takeSeat } = this.#options;
    const principal = await this.#inTime(
      'authentication',
      authenticate(credentialsOf(request), () => socket.destroyed),
    );
    if (principal.kind === 'public') throw forbidden('connecting a runner needs a secret key');
    const projectId = requireProject(principal);
    const giveBack = takeSeat(principal);
    if (!giveBack) throw invalid(seatRefusal);
    if (socket.closed) giveBack();
    else socket.once('close', giveBack);
    // W1. The number is drawn before the runner can say hello. So if the runner abandons this
    // connection, its next one has a higher number.
    const connectionNo = await this.#inTime('numbering the connection', nextConnectionNo());
    return { principal, projectId, connectionNo };
  }

  async #inTime<T>(name: string, work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(busy(`${name} timed out: retry`)), this.#options.timeoutMs);
    });
    try {
      return await Promise.race([work, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  #refuse(socket: Duplex, error: unknown): void {
    const shown = shownError(error);
    if (shown !== error) this.#options.onHidden(error);
    if (shown) {
      refuse(socket, statusOfKind[shown.kind], shown.message, headersOfKind[shown.kind]);
    } else {
      refuse(socket, 500, internalError);
    }
  }
}

const refuse = (socket: Duplex, status: number, reason: string, headers?: Readonly<Record<string, string>>): void => {
  if (!socket.destroyed) refuseSocket(socket, status, reason, { 'Content-Type': 'application/json', ...headers });
};
