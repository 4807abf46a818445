import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface ConnectionGateOptions {
  /** Requests of one connection that are handled at once. */
  perConnection: number;
  /** Requests that all connections hold back together. A connection beyond that is cut. */
  maxHeld: number;
}

type Begin = () => void;

/** How long earlier requests may take before a malformed one is refused, in ms. */
const earlierMs = 5_000;

/** The requests of one connection. */
interface Lane {
  underWay: number;
  /** Requests that were read but have not begun, oldest first. */
  held: Begin[];
  isRefilling: boolean;
  /** Waits until no request is under way or held. */
  whenIdle: (() => void) | undefined;
}

/**
 * Limits the requests under way of each connection. Node parses every request of a chunk, so one
 * write of a client may bring thousands.
 *
 * Invariants:
 * C1. At most `perConnection` requests of a connection are handled at once. Further ones are held
 *     and begin in order, at most that many in one turn of the event loop.
 * C2. A connection with a held request is not read. All its requests under way have arrived
 *     completely, because the held one follows them.
 * C3. After its connection has closed, no held request begins.
 * C4. All connections together hold at most `maxHeld` requests. They occupy memory.
 */
export class ConnectionGate {
  readonly #options: ConnectionGateOptions;
  readonly #lanes = new WeakMap<Duplex, Lane>();
  #held = 0;

  constructor(options: ConnectionGateOptions) {
    this.#options = options;
  }

  /** Begins a request now or in its turn. */
  enter({ socket }: IncomingMessage, response: ServerResponse, begin: Begin): void {
    const lane = this.#laneOf(socket);
    const go = (): void => {
      lane.underWay += 1;
      response.once('close', () => this.#leave(socket, lane));
      begin();
    };
    if (lane.underWay < this.#options.perConnection && lane.held.length === 0) go();
    else this.#hold(socket, lane, go);
  }

  /** Whether requests of a connection are under way or held. */
  isBusy(socket: Duplex): boolean {
    const lane = this.#lanes.get(socket);
    return lane !== undefined && lane.underWay + lane.held.length > 0;
  }

  /**
   * Calls `then` when the connection's requests so far have been answered. If that takes long, as
   * with a stream, the connection is cut instead.
   */
  whenIdle(socket: Duplex, then: () => void): void {
    const lane = this.#lanes.get(socket);
    if (!lane || !this.isBusy(socket)) {
      then();
      return;
    }
    const late = setTimeout(() => socket.destroy(), earlierMs).unref();
    lane.whenIdle = () => {
      clearTimeout(late);
      then();
    };
  }

  #laneOf(socket: Duplex): Lane {
    const known = this.#lanes.get(socket);
    if (known) return known;
    const lane: Lane = { underWay: 0, held: [], isRefilling: false, whenIdle: undefined };
    this.#lanes.set(socket, lane);
    socket.once('close', () => this.#close(lane));
    return lane;
  }

  #hold(socket: Duplex, lane: Lane, go: Begin): void {
    if (socket.destroyed) return;
    if (this.#held >= this.#options.maxHeld) {
      socket.destroy();
      return;
    }
    if (lane.held.length === 0) this.#pause(socket, lane);
    lane.held.push(go);
    this.#held += 1;
  }

  /** C2. Node resumes a connection after each answer. */
  #pause(socket: Duplex, lane: Lane): void {
    const stay = (): void => {
      if (lane.held.length > 0) socket.pause();
      else socket.off('resume', stay);
    };
    socket.on('resume', stay);
    socket.pause();
  }

  #leave(socket: Duplex, lane: Lane): void {
    lane.underWay -= 1;
    if (lane.held.length > 0 && !lane.isRefilling) {
      lane.isRefilling = true;
      setImmediate(() => this.#refill(socket, lane));
    } else if (!this.isBusy(socket)) {
      lane.whenIdle?.();
      lane.whenIdle = undefined;
    }
  }

  #refill(socket: Duplex, lane: Lane): void {
    lane.isRefilling = false;
    const begins = lane.held.splice(0, this.#options.perConnection - lane.underWay);
    this.#held -= begins.length;
    for (const begin of begins) if (!socket.destroyed) begin();
    if (lane.held.length === 0) socket.resume();
  }

  /** C3 */
  #close(lane: Lane): void {
    this.#held -= lane.held.length;
    lane.held = [];
    lane.whenIdle = undefined;
  }
}
