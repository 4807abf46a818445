import type { Duplex } from 'node:stream';

/** `_handle` has no public counterpart; Node's own socket timeouts use it. */
interface SystemSocket extends Duplex {
  readonly bytesWritten?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Whether a peer receives the bytes that pile up for it. While the system's buffers are not full,
 * bytes leave this process even if the peer is gone. Once the buffers are full, each byte that
 * leaves proves that the peer has received one.
 */
export class Outflow {
  readonly #socket: SystemSocket;
  #before = { refused: 0, sent: 0 };

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Whether the buffers were full at the last call and bytes have left since. */
  hasMoved(): boolean {
    const before = this.#before;
    const { _handle, bytesWritten = 0, writableLength } = this.#socket;
    // The rest of the current write, which may be megabytes. Within a write, only this changes.
    const refused = _handle?.writeQueueSize ?? 0;
    const sent = bytesWritten - writableLength;
    this.#before = { refused, sent };
    return before.refused > 0 && (refused < before.refused || sent > before.sent);
  }
}
