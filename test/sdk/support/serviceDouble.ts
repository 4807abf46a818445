import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type {
  ContinueFrame,
  HelloFrame,
  InvokeFrame,
  InvokeRequest,
  LostFrame,
  ResultFrame,
  RunnerDrainFrame,
  RunnerFrame,
} from '../../../sdk/src/protocol.ts';

export function invokeOf(id: string, workflow: string, request: Partial<InvokeRequest> = {}): InvokeFrame {
  const ctx = { runId: `run of ${id}`, workflow, attempt: 1, app: 'default', runner: '' };
  return { type: 'invoke', id, request: { event: { name: workflow, data: {} }, steps: {}, ctx, ...request } };
}

/** The other end of one runner's socket. */
export class Peer {
  readonly frames: RunnerFrame[] = [];
  readonly #socket: WebSocket;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(data.toString()));
      this.#arrivals.emit('frame');
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  get extensions(): string {
    return this.#socket.extensions;
  }

  send(frame: object | string): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  invoke(id: string, workflow: string, request: Partial<InvokeRequest> = {}): void {
    this.send(invokeOf(id, workflow, request));
  }

  continue(id: string, of: string, steps: ContinueFrame['steps']): void {
    this.send({ type: 'continue', id, of, steps });
  }

  /** A ping of the WebSocket protocol itself. */
  ping(): void {
    this.#socket.ping();
  }

  /** Repeats `send` at intervals for about this long. */
  async beat(send: () => void, ms: number): Promise<void> {
    const beats = 24;
    for (let beat = 0; beat < beats; beat += 1) {
      send();
      await new Promise((resolve) => setTimeout(resolve, ms / beats));
    }
  }

  /** Sends a frame like a slow link: a few bytes at a time, for about this long. */
  async trickle(frame: object, ms: number): Promise<void> {
    const payload = Buffer.from(JSON.stringify(frame));
    const header = Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]);
    const raw: Duplex = Reflect.get(this.#socket, '_socket');
    raw.write(header);
    const pieces = 20;
    const size = Math.ceil(payload.length / pieces);
    for (let at = 0; at < payload.length; at += size) {
      await new Promise((resolve) => setTimeout(resolve, ms / pieces));
      raw.write(payload.subarray(at, at + size));
    }
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** The first frame that fits, received already or later. */
  async frame<T extends RunnerFrame>(fits: (frame: RunnerFrame) => frame is T): Promise<T> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found !== undefined) return found;
      await once(this.#arrivals, 'frame', { signal: AbortSignal.timeout(10_000) });
    }
  }

  hello(): Promise<HelloFrame> {
    return this.frame((frame) => frame.type === 'hello');
  }

  drain(): Promise<RunnerDrainFrame> {
    return this.frame((frame) => frame.type === 'drain');
  }

  result(id: string): Promise<ResultFrame> {
    return this.frame((frame): frame is ResultFrame => frame.type === 'result' && frame.id === id);
  }

  lost(id: string): Promise<LostFrame> {
    return this.frame((frame): frame is LostFrame => frame.type === 'lost' && frame.id === id);
  }
}

/** A service at the wire: accepts runners' sockets, and by itself sends only `ready`. */
export class ServiceDouble {
  readonly peers: Peer[] = [];
  /** While set, upgrades are answered with this HTTP status. */
  refuseWith: number | undefined;
  /** The reason in that answer. */
  refuseBecause: string | undefined;
  /** Whether a hello is answered by `ready`. */
  isWelcoming = true;
  heartbeatMs = 30_000;
  /** The `accepts` of its `ready` frame; undefined for an older service. */
  accepts: string[] | undefined = ['drain'];
  /** The `features` of its `ready` frame; undefined for an older service. */
  features: string[] | undefined;
  readonly authorizations: (string | undefined)[] = [];
  /** `X-Service-Project`, as bytes. */
  readonly projects: (string | undefined)[] = [];
  readonly #http: Server = createServer((_request, response) => response.writeHead(404).end());
  readonly #ws = new WebSocketServer({ noServer: true, perMessageDeflate: true });
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  static async start(port = 0): Promise<ServiceDouble> {
    const service = new ServiceDouble();
    service.#http.on('upgrade', (request, socket, head) => {
      service.authorizations.push(request.headers.authorization);
      service.projects.push(request.headers['x-service-project']?.toString());
      if (service.refuseWith !== undefined) {
        const body = service.refuseBecause === undefined ? '' : JSON.stringify({ error: service.refuseBecause });
        socket.end(
          `HTTP/1.1 ${service.refuseWith} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
        return;
      }
      if (request.url !== '/connect') return socket.destroy();
      service.#ws.handleUpgrade(request, socket, head, (ws) => service.#accept(new Peer(ws)));
    });
    service.#http.listen(port, '127.0.0.1');
    await once(service.#http, 'listening');
    return service;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Waits for the nth connection, from 0. */
  async peer(index: number): Promise<Peer> {
    for (;;) {
      const peer = this.peers[index];
      if (peer !== undefined) return peer;
      await once(this.#arrivals, 'peer', { signal: AbortSignal.timeout(10_000) });
    }
  }

  async stop(): Promise<void> {
    for (const client of this.#ws.clients) client.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #accept(peer: Peer): void {
    this.peers.push(peer);
    void peer.hello().then(
      ({ runner }) => {
        const runnerId = runner ?? `runner ${this.peers.length}`;
        const { accepts, features, heartbeatMs } = this;
        const ready = { type: 'ready', runnerId, protocolVersion: 1, heartbeatMs, accepts, features };
        if (this.isWelcoming) peer.send(ready);
      },
      () => {},
    );
    this.#arrivals.emit('peer');
  }
}
