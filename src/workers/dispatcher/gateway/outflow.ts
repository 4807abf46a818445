import type { Duplex } from 'node:stream';

/** `_handle` has no public counterpart, but is what Node's own time-outs of sockets go by. */
interface SystemSocket extends Duplex {
  readonly bytesWritten?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Whether a peer takes in what piles up for it. Only that tells: what finds room in the buffers of
 * the system leaves this process also when nobody is there any more, but where those are full, each
 * byte that goes has made room by being received.
 */
export class Outflow {
  readonly #socket: SystemSocket;
  #before = { refused: 0, sent: 0 };

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** The system had no room when this was asked last, and has taken something since. */
  hasMoved(): boolean {
    const before = this.#before;
    const { _handle, bytesWritten = 0, writableLength } = this.#socket;
    // Of the write that is under way, which may be megabytes: within it nothing else changes.
    const refused = _handle?.writeQueueSize ?? 0;
    const sent = bytesWritten - writableLength;
    this.#before = { refused, sent };
    return before.refused > 0 && (refused < before.refused || sent > before.sent);
  }
}
