/**
 * One socket of a runner, from its upgrade to its end.
 *
 * Owns: the phase, what may be written and read in it, the marks by which silence and congestion
 * are told. Does not own: the set of connections and their timers (Gateway), the passes sent over
 * it (Passes).
 *
 * Invariants G1. The phase only goes forward; nothing is written that it forbids, and nothing is
 * read once it is over. G2. The host hears of a link exactly once when it opens and once when it
 * ends, however it ends. G3. A peer that breaks the protocol gets one `error` frame and a close
 * code; the process never throws for it.
 */
import type { Duplex } from 'node:stream';
import { protocolVersion } from '@holdfast/sdk/protocol';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { HoldfastError } from '../../../engine/errors.ts';
import type { InvokeHost } from '../routing/runnerLink.ts';
import { closeReason, endCodes, malformed, WireError } from './closing.ts';
import { errorFrame, readyFrame } from './frames.ts';
import { type Hello, readHello } from './messages/hello.ts';
import { Outflow } from './outflow.ts';
import { type Phase, PhaseTrack, type SentFrameKind } from './phase.ts';
import { type IncomingFrame, readFrame } from './readFrame.ts';
import type { SocketLink } from './socketLink.ts';

/** What a connection tells the gateway. */
export interface ConnectionHost {
  /**
   * Enters the runner; resolves with its link. Throws `invalid` on a registration that cannot be.
   */
  register(connection: Connection, hello: Hello): Promise<SocketLink>;
  opened(connection: Connection, link: SocketLink): void;
  /** The link is gone for good: nothing comes from it any more. */
  ended(connection: Connection, link: SocketLink): void;
  /**
   * The runner takes no new pass: it will answer these invokes, or all that it has, and began none
   * of the others.
   */
  drained(connection: Connection, link: SocketLink, inFlight: ReadonlySet<string> | undefined): void;
  /** The socket itself is closed. */
  gone(connection: Connection): void;
}

export interface ConnectionOptions {
  id: string;
  projectId: string;
  ws: WebSocket;
  socket: Duplex;
  host: ConnectionHost;
  invokes: InvokeHost;
  log: Logger;
  heartbeatMs: number;
  congestedBytes: number;
  jsonDepth: number;
}

export class Connection {
  readonly id: string;
  readonly projectId: string;
  /** When the current phase began, on the monotonic clock. */
  phaseSinceMs = performance.now();
  lastHeardMs = performance.now();
  nextPingMs = Number.POSITIVE_INFINITY;
  lastPingMs = Number.POSITIVE_INFINITY;
  /** Since when unsent bytes pile up; undefined when they do not. */
  congestedSinceMs: number | undefined;
  #link: SocketLink | undefined;
  #hello: Hello | undefined;
  #isCorked = false;
  readonly #phase: PhaseTrack;
  readonly #options: ConnectionOptions;
  readonly #outflow: Outflow;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#outflow = new Outflow(options.socket);
    this.id = options.id;
    this.projectId = options.projectId;
    this.#phase = new PhaseTrack((change) => {
      this.phaseSinceMs = performance.now();
      options.log.debug({ connectionId: options.id, ...change }, 'runner socket');
    });
    this.#listen();
  }

  get phase(): Phase {
    return this.#phase.current;
  }

  /** Nothing comes from it any more. */
  get isOver(): boolean {
    return this.#phase.isOver;
  }

  /** Its link, while there is one. */
  get link(): SocketLink | undefined {
    return this.#link;
  }

  /** What it said of itself; undefined before its hello. */
  get hello(): Hello | undefined {
    return this.#hello;
  }

  get isCongested(): boolean {
    return this.#options.ws.bufferedAmount > this.#options.congestedBytes;
  }

  /**
   * A sign of life: since the last call it has taken in some of what piles up. What it is sent may
   * be too large to hear a ping behind.
   */
  hasTakenIn(): boolean {
    return this.#outflow.hasMoved();
  }

  /**
   * Sends a frame, if the phase lets it. Frames of one turn of the event loop leave in one write.
   */
  write(kind: SentFrameKind, text: string): void {
    if (!this.#phase.canWrite(kind)) return;
    const { socket, ws } = this.#options;
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    ws.send(text);
  }

  /** Tells the runner to go elsewhere once it has answered what it has. */
  drain(text: string): void {
    if (this.#phase.current === 'greeting' || this.#phase.current === 'registering') {
      this.end(endCodes.restarting, 'the service is restarting');
      return;
    }
    this.write('drain', text);
    this.#phase.transition('draining', 'the service is stopping');
  }

  /** Closes the socket. With an error, the peer is told it first. */
  end(code: number, reason: string, error?: string): void {
    if (this.#phase.isOver) return;
    // A goodbye behind megabytes that nobody reads would never arrive.
    if (this.isCongested) {
      this.cut(reason);
      return;
    }
    if (error !== undefined) this.write('error', errorFrame(error));
    this.#phase.transition('closing', reason);
    this.#endLink();
    this.#options.ws.close(code, closeReason(reason));
  }

  /** Drops the socket without a word: the peer does not read, or does not answer our close. */
  cut(reason: string): void {
    this.#phase.transition('closing', reason);
    this.#endLink();
    this.#options.ws.terminate();
  }

  #listen(): void {
    const { ws, socket } = this.#options;
    ws.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    ws.on('ping', () => this.#heard());
    ws.on('pong', () => this.#heard());
    ws.on('error', (error) => this.#onError(error));
    ws.on('close', (code) => this.#onClose(code));
    socket.on('drain', () => this.#onDrain());
  }

  #heard(): void {
    this.lastHeardMs = performance.now();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#phase.isOver) return;
    this.#heard();
    try {
      this.#accept(readFrame(data, isBinary, this.#options.jsonDepth));
    } catch (error) {
      this.#fail(error);
    }
  }

  #accept(frame: IncomingFrame): void {
    switch (frame.type) {
      case 'hello':
        if (this.#phase.current !== 'greeting') throw malformed('hello was already said');
        void this.#greet(readHello(frame.fields));
        return;
      case 'result':
        if (!this.#link) throw malformed('result before ready');
        this.#options.invokes.answered(this.#link, frame.id, frame.reply);
        return;
      case 'drain':
        if (!this.#link) throw malformed('drain before ready');
        this.#phase.transition('draining', 'the runner is closing');
        this.#options.host.drained(this, this.#link, frame.inFlight);
        return;
      case 'pong':
        // A pong before any ping says no more than that the peer is there.
        return;
    }
  }

  async #greet(hello: Hello): Promise<void> {
    this.#hello = hello;
    this.#phase.transition('registering', 'hello');
    try {
      const link = await this.#options.host.register(this, hello);
      if (this.#phase.isOver) this.#options.host.ended(this, link);
      else this.#open(link);
    } catch (error) {
      this.#fail(error);
    }
  }

  #open(link: SocketLink): void {
    const { heartbeatMs, host } = this.#options;
    this.#link = link;
    this.#phase.transition('ready', 'registered');
    this.nextPingMs = performance.now() + heartbeatMs;
    this.write('ready', readyFrame({ runnerId: link.runnerId, protocolVersion, heartbeatMs, accepts: ['drain'] }));
    host.opened(this, link);
  }

  #fail(error: unknown): void {
    if (error instanceof WireError) this.end(error.code, error.message, error.message);
    else if (error instanceof HoldfastError) this.end(endCodes.malformed, error.message, error.message);
    else {
      this.#options.log.error({ err: error, connectionId: this.id }, 'a runner socket failed');
      this.end(endCodes.internalError, 'internal error', 'internal error');
    }
  }

  /** The library closes the socket itself after an error. */
  #onError(error: Error): void {
    this.#options.log.debug({ err: error, connectionId: this.id }, 'runner socket error');
    this.#phase.transition('closing', error.message);
    this.#endLink();
  }

  #onClose(code: number): void {
    this.#phase.transition('closed', `closed with ${code}`);
    this.#endLink();
    this.#options.host.gone(this);
  }

  #onDrain(): void {
    this.congestedSinceMs = undefined;
    if (this.#link) this.#options.invokes.roomMade(this.#link);
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link) this.#options.host.ended(this, link);
  }
}
