import type { PassReply } from '../execute/answer.ts';
import { closeCodes, type HelloFrame, type ReadyFrame } from '../protocol.ts';
import { dial, type Socket } from './dial.ts';
import { parseFrame } from './frames.ts';
import { Heartbeat } from './heartbeat.ts';
import { PhaseTracker } from './phase.ts';
import { type Invoke, RequestProcessor } from './requestProcessor.ts';

export interface SessionOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly hello: HelloFrame;
  readonly maxInFlight: number;
  readonly invoke: Invoke;
  readonly onReady: (frame: ReadyFrame) => void;
  readonly onDrain: () => void;
}

/** How a socket ended. */
export interface SessionEnd {
  readonly code: number;
  readonly reason: string;
  /** HTTP status of a refused upgrade. */
  readonly status?: number;
  readonly wasReady: boolean;
}

const greetingTimeoutMs = 10_000;

/**
 * One socket, from dialing to its end.
 *
 * Owns: the phase of the socket and the passes that came over it.
 * Does not own: whether there is a next one.
 *
 * Invariants:
 * S1 A frame is sent only in a phase that allows it: a result that comes too late is dropped, and the service asks again.
 * S2 `ended` resolves exactly once, after the phase is `closed` and all passes were told.
 */
export class Session {
  readonly ended: Promise<SessionEnd>;
  readonly #options: SessionOptions;
  readonly #phase = new PhaseTracker();
  readonly #socket: Socket;
  readonly #passes: RequestProcessor;
  readonly #heartbeat = new Heartbeat(() => this.#socket.terminate());
  #greeting: NodeJS.Timeout | undefined;
  #wasReady = false;
  #complaint: string | undefined;
  #resolveEnded: (end: SessionEnd) => void = () => {};

  constructor(options: SessionOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#passes = new RequestProcessor({
      invoke: options.invoke,
      maxInFlight: options.maxInFlight,
      answer: (id, reply) => this.#answer(id, reply),
    });
    this.#socket = dial(options.url, options.apiKey, {
      opened: () => this.#opened(),
      received: (text) => this.#received(text),
      ended: (end) => this.#ended(end),
    });
  }

  /** Finishes what is in flight, takes on nothing new, closes. */
  drain(reason: string): void {
    const wasReady = this.#phase.current === 'ready';
    if (!this.#phase.transition('draining')) return;
    if (wasReady) void this.#passes.idle().then(() => this.#socket.close(1000, reason));
    else this.#socket.terminate();
  }

  #opened(): void {
    if (!this.#phase.transition('greeting')) return;
    this.#greeting = setTimeout(() => this.#socket.terminate(), greetingTimeoutMs);
    this.#socket.send(JSON.stringify(this.#options.hello));
  }

  #received(text: string): void {
    this.#heartbeat.heard();
    const frame = parseFrame(text);
    switch (frame.type) {
      case 'ready':
        this.#ready(frame);
        break;
      case 'invoke':
        // What comes while draining is sent again by the service, to another runner.
        if (this.#phase.current === 'ready') this.#passes.accept(frame);
        break;
      case 'ping':
        if (this.#phase.canSend('pong')) this.#socket.send('{"type":"pong"}');
        break;
      case 'cancel':
        this.#passes.cancel(frame.id);
        break;
      case 'drain':
        this.#options.onDrain();
        this.drain('drained');
        break;
      case 'error':
        this.#complaint = frame.error;
        break;
      case 'malformed':
        this.#socket.close(closeCodes.malformed, 'malformed frame');
        break;
      case 'unknown':
        break;
    }
  }

  #ready(frame: ReadyFrame): void {
    if (!this.#phase.transition('ready')) return;
    clearTimeout(this.#greeting);
    this.#wasReady = true;
    this.#heartbeat.start(frame.heartbeatMs);
    this.#options.onReady(frame);
  }

  #answer(id: string, { status, body }: PassReply): void {
    if (!this.#phase.canSend('result')) return;
    this.#socket.send(`{"type":"result","id":${JSON.stringify(id)},"status":${status},"body":${body}}`);
  }

  #ended(end: { code: number; reason: string; status?: number }): void {
    this.#phase.transition('closed');
    clearTimeout(this.#greeting);
    this.#heartbeat.stop();
    this.#passes.abandon();
    this.#resolveEnded({ ...end, reason: this.#complaint ?? end.reason, wasReady: this.#wasReady });
  }
}
