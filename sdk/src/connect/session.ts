import type { PassReply } from '../execute/answer.ts';
import type { OnStarted } from '../execute/startedBodies.ts';
import {
  closeCodes,
  frameLimitBytes,
  type HelloFrame,
  type LostFrame,
  type ReadyFrame,
  type RunnerDrainFrame,
  type StartedFrame,
} from '../protocol.ts';
import { type DialOptions, dial, type Socket } from './dial.ts';
import { parseFrame } from './frames.ts';
import { Heartbeat } from './heartbeat.ts';
import type { HeldLimits } from './heldHandlers.ts';
import { PhaseTracker } from './phase.ts';
import type { ReplayChecks } from './replayChecks.ts';
import { type Invoke, RequestProcessor } from './requestProcessor.ts';
import type { Slots } from './slots.ts';

export interface SessionOptions extends DialOptions {
  readonly hello: HelloFrame;
  readonly slots: Slots;
  readonly invoke: Invoke;
  readonly held: HeldLimits;
  readonly checks: ReplayChecks;
  readonly onReady: (frame: ReadyFrame) => void;
  /** The service drains this socket: it finishes its passes, and the caller opens another one. */
  readonly onDrain: () => void;
}

export interface SessionEnd {
  readonly code: number;
  readonly reason: string;
  /** HTTP status of a refused upgrade. */
  readonly status?: number;
  readonly wasReady: boolean;
}

const greetingTimeoutMs = 10_000;

/**
 * A socket, from dialing to its end.
 *
 * Owns: the phase of the socket and its passes.
 * Does not own: reconnection.
 *
 * Invariants:
 * S1 A frame is sent only in a phase that allows it. A late result is dropped, and the service asks
 * again.
 * S2 `ended` resolves exactly once, after the phase is `closed` and all passes are aborted.
 * S3 No invoke starts while the phase is `draining`. The `drain` frame names all started invokes,
 * so the service knows which answers to expect.
 */
export class Session {
  readonly ended: Promise<SessionEnd>;
  readonly #options: SessionOptions;
  readonly #phase = new PhaseTracker();
  readonly #socket: Socket;
  readonly #passes: RequestProcessor;
  readonly #heartbeat: Heartbeat;
  #greeting: NodeJS.Timeout | undefined;
  #welcome: ReadyFrame | undefined;
  #complaint: string | undefined;
  #resolveEnded: (end: SessionEnd) => void = () => {};

  constructor(options: SessionOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#passes = new RequestProcessor({
      invoke: options.invoke,
      slots: options.slots,
      held: options.held,
      checks: options.checks,
      continues: () => this.#welcome?.features?.includes('continue') === true,
      answer: (id, reply, isHeld) => this.#answer(id, reply, isHeld),
      lost: (id) => this.#send('lost', { type: 'lost', id }),
      onStarted: (id) => this.#onStarted(id),
    });
    this.#socket = dial(options, {
      opened: () => this.#opened(),
      received: (text) => this.#received(text),
      ended: (end) => this.#ended(end),
    });
    this.#heartbeat = new Heartbeat(
      () => this.#socket.heard,
      () => this.#socket.terminate(),
    );
  }

  /**
   * Closes from this side: finishes the passes in flight, hands back queued ones, then disconnects.
   */
  close(): void {
    if (!this.#finish('runner closed') || this.#welcome?.accepts?.includes('drain') !== true) return;
    const frame: RunnerDrainFrame = { type: 'drain', inFlight: this.#passes.stopBeginning() };
    const text = JSON.stringify(frame);
    // A frame cannot name tens of thousands of passes. Without the frame, the service resends
    // unstarted passes after the close.
    if (Buffer.byteLength(text) <= frameLimitBytes) this.#socket.send(text);
  }

  /**
   * Finishes the passes in flight, starts none, then closes. False if that has begun already, or
   * before `ready`.
   */
  #finish(reason: string): boolean {
    const wasReady = this.#phase.current === 'ready';
    if (!this.#phase.transition('draining')) return false;
    this.#passes.stopHolding();
    if (wasReady) void this.#passes.idle().then(() => this.#socket.close(1000, reason));
    else this.#socket.terminate();
    return wasReady;
  }

  #opened(): void {
    if (!this.#phase.transition('greeting')) return;
    this.#greeting = setTimeout(() => this.#socket.terminate(), greetingTimeoutMs);
    this.#socket.send(JSON.stringify(this.#options.hello));
  }

  #received(text: string): void {
    const frame = parseFrame(text);
    switch (frame.type) {
      case 'ready':
        this.#ready(frame);
        break;
      case 'invoke':
        // While draining, the service sends the invoke to another runner (S3).
        if (this.#phase.current === 'ready') this.#passes.accept(frame);
        break;
      case 'continue':
        if (this.#phase.current === 'ready') this.#passes.continue(frame);
        break;
      case 'ping':
        if (this.#phase.canSend('pong')) this.#socket.send('{"type":"pong"}');
        break;
      case 'cancel':
        this.#passes.cancel(frame.id);
        break;
      case 'drain':
        if (this.#finish('drained')) this.#options.onDrain();
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
    this.#welcome = frame;
    this.#heartbeat.start(frame.heartbeatMs);
    this.#options.onReady(frame);
  }

  #answer(id: string, { status, body }: PassReply, isHeld: boolean): void {
    if (!this.#phase.canSend('result')) return;
    const held = isHeld ? ',"held":true' : '';
    this.#socket.send(`{"type":"result","id":${JSON.stringify(id)},"status":${status}${held},"body":${body}}`);
  }

  #send(type: 'started' | 'lost', frame: StartedFrame | LostFrame): void {
    if (this.#phase.canSend(type)) this.#socket.send(JSON.stringify(frame));
  }

  /** Older services do not accept the frame. */
  #onStarted(id: string): OnStarted | undefined {
    if (this.#welcome?.features?.includes('started') !== true) return undefined;
    return (steps) => this.#send('started', { type: 'started', id, steps });
  }

  #ended(end: { code: number; reason: string; status?: number }): void {
    this.#phase.transition('closed');
    clearTimeout(this.#greeting);
    this.#heartbeat.stop();
    this.#passes.abandon();
    this.#resolveEnded({ ...end, reason: this.#complaint ?? end.reason, wasReady: this.#welcome !== undefined });
  }
}
