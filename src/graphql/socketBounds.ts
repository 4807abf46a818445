import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Bytes that a socket may send before its first message is accepted: its caller is unknown. */
export const maxGreetingBytes = 64 * 1024;

/** Unsent bytes at which the service stops reading from a socket. */
const maxUnsentBytes = 1024 * 1024;

/** Closes a socket with 1009 if it sends too much before `isAccepted` is true. */
export function limitGreeting(socket: WebSocket, stream: Duplex, isAccepted: () => boolean): void {
  let received = 0;
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    if (isAccepted()) {
      stream.off('data', count);
    } else if (received > maxGreetingBytes) {
      stream.off('data', count);
      socket.close(1009, `at most ${maxGreetingBytes} bytes may come before the first message is accepted`);
      // Otherwise one last message could grow to the limit of accepted sockets.
      socket.pause();
      stream.end();
    }
  };
  stream.on('data', count);
}

/**
 * Reads from a socket only while its peer reads the answers. So this process keeps at most a
 * megabyte for a socket, and the answers of its open operations.
 */
export function readWhileTaken(socket: WebSocket, stream: Duplex): void {
  const check = (): void => {
    if (socket.isPaused || socket.bufferedAmount <= maxUnsentBytes) return;
    socket.pause();
    stream.once('drain', () => socket.resume());
  };
  socket.on('message', check);
  socket.on('ping', check);
}

/**
 * Finds dead sockets by pings. Each ping has its own text, so only a peer that read it can
 * answer.
 */
export class Liveness {
  readonly #asked = new WeakMap<WebSocket, string>();

  /** Call it once for each socket. */
  watch(socket: WebSocket): void {
    socket.on('pong', (word) => {
      if (word.toString('latin1') === this.#asked.get(socket)) this.#asked.delete(socket);
    });
  }

  /** Sends a ping; terminates the socket if it has not answered the last one. */
  ask(socket: WebSocket): void {
    if (this.#asked.has(socket)) {
      socket.terminate();
      return;
    }
    const word = randomBytes(8).toString('hex');
    this.#asked.set(socket, word);
    socket.ping(word);
  }
}
