/**
 * A socket of a runner, from its upgrade to its end.
 *
 * Owns: the phase, the frames that may be written and read in it, the marks of silence and
 * congestion. Does not own: the set of connections and their timers (Gateway), the passes sent over
 * the socket (Passes).
 *
 * Invariants
 * G1. The phase only goes forward. A frame that the phase forbids is not written. Frames that
 *     arrive after the end are not read.
 * G2. The host learns of a link exactly once when it opens, and exactly once when it ends.
 * G3. A peer that breaks the protocol gets one `error` frame and a close code. The process never
 *     throws because of it.
 */
import type { Duplex } from 'node:stream';
import { protocolVersion } from '@holdfast/sdk/protocol';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { HoldfastError, internalError } from '../../../engine/errors.ts';
import type { InvokeHost } from '../routing/runnerLink.ts';
import { closeReason, endCodes, malformed, restartingReason, WireError } from './closing.ts';
import { errorFrame, readyFrame } from './frames.ts';
import { type Hello, readHello } from './messages/hello.ts';
import { Outflow } from './outflow.ts';
import { type Phase, PhaseTrack, type SentFrameKind } from './phase.ts';
import { type IncomingFrame, readFrame } from './readFrame.ts';
import type { SocketLink } from './socketLink.ts';

/** The gateway, as a connection calls it. */
export interface ConnectionHost {
  /** Registers the runner; resolves with its link. Throws if the registration is refused. */
  register(connection: Connection, hello: Hello): Promise<SocketLink>;
  opened(connection: Connection, link: SocketLink): void;
  /** The link has ended for good: its frames are not read any more. */
  ended(connection: Connection, link: SocketLink): void;
  /**
   * The runner takes no new pass. `inFlight` names the only invokes that it began and will answer;
   * undefined: it will answer all.
   */
  drained(connection: Connection, link: SocketLink, inFlight: ReadonlySet<string> | undefined): void;
  /** The socket is closed. */
  gone(connection: Connection): void;
}

export interface ConnectionOptions {
  id: string;
  connectionNo: number;
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
  /** The connection's number in the order of all connections over all processes (W1). */
  readonly connectionNo: number;
  readonly projectId: string;
  /** When the current phase began, on the monotonic clock. */
  phaseSinceMs = performance.now();
  lastHeardMs = performance.now();
  nextPingMs = Number.POSITIVE_INFINITY;
  lastPingMs = Number.POSITIVE_INFINITY;
  /** When unsent bytes began to pile up; undefined without congestion. */
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
    this.connectionNo = options.connectionNo;
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

  /** Whether its frames are not read any more (G1). */
  get isOver(): boolean {
    return this.#phase.isOver;
  }

  /** The link, from `ready` to the end. */
  get link(): SocketLink | undefined {
    return this.#link;
  }

  /** Undefined before the hello. */
  get hello(): Hello | undefined {
    return this.#hello;
  }

  get isCongested(): boolean {
    return this.#options.ws.bufferedAmount > this.#options.congestedBytes;
  }

  /**
   * Whether the peer received some of the unsent bytes since the last call: a sign of life, as a
   * ping behind a large invoke arrives late.
   */
  hasTakenIn(): boolean {
    return this.#outflow.hasMoved();
  }

  /**
   * Sends a frame, if the phase allows it (G1). Frames of one turn of the event loop leave in one
   * write.
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

  /** Asks the runner to connect elsewhere once it has answered its passes. */
  drain(text: string): void {
    if (this.#phase.current === 'greeting' || this.#phase.current === 'registering') {
      this.end(endCodes.restarting, restartingReason);
      return;
    }
    this.write('drain', text);
    this.#phase.transition('draining', 'the service is stopping');
  }

  /** Closes the socket, after an `error` frame if there is an error. */
  end(code: number, reason: string, error?: string): void {
    if (this.#phase.isOver) return;
    // A close frame behind megabytes that the peer does not read would never arrive.
    if (this.isCongested) {
      this.cut(reason);
      return;
    }
    if (error !== undefined) this.write('error', errorFrame(error));
    this.#phase.transition('closing', reason);
    this.#endLink();
    this.#options.ws.close(code, closeReason(reason));
  }

  /** Drops the socket without a close frame, for a peer that does not read or answer one. */
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
      case 'started':
        if (!this.#link || !this.#hello?.features.includes('started')) throw malformed('started was not agreed on');
        this.#options.invokes.started(this.#link, frame.id, frame.steps);
        return;
      case 'result':
        if (!this.#link) throw malformed('result before ready');
        this.#options.invokes.answered(this.#link, frame.id, frame.reply);
        return;
      case 'lost':
        if (!this.#link?.continue) throw malformed('lost was not agreed on');
        if (!this.#options.invokes.handlerLost(this.#link, frame.id)) throw malformed('lost: no handler was continued');
        return;
      case 'drain':
        if (!this.#link) throw malformed('drain before ready');
        this.#phase.transition('draining', 'the runner is closing');
        this.#options.host.drained(this, this.#link, frame.inFlight);
        return;
      case 'pong':
        // Every frame is a sign of life, even a pong without a ping.
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
    const features = this.#hello?.features ?? [];
    this.#link = link;
    this.#phase.transition('ready', 'registered');
    this.nextPingMs = performance.now() + heartbeatMs;
    this.write(
      'ready',
      readyFrame({
        runnerId: link.runnerId,
        protocolVersion,
        heartbeatMs,
        accepts: ['drain'],
        ...(features.length > 0 && { features: [...features] }),
      }),
    );
    host.opened(this, link); // G2
  }

  /** G3 */
  #fail(error: unknown): void {
    if (error instanceof WireError) this.end(error.code, error.message, error.message);
    else if (error instanceof HoldfastError) this.end(endCodes.malformed, error.message, error.message);
    else {
      this.#options.log.error({ err: error, connectionId: this.id }, 'runner socket failed');
      this.end(endCodes.internalError, internalError, internalError);
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

  /** G2 */
  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link) this.#options.host.ended(this, link);
  }
}
