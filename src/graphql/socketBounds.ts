import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/**
 * What a socket may send in all before its first message is accepted, in bytes: nobody knows yet
 * who it is.
 */
export const maxGreetingBytes = 64 * 1024;

/** Unsent bytes from which on nothing more is read from a socket. */
const maxUnsentBytes = 1024 * 1024;

/**
 * Closes the socket with 1009 when it sends more than a greeting before `isAccepted` says that it
 * was let in.
 */
export function limitGreeting(socket: WebSocket, stream: Duplex, isAccepted: () => boolean): void {
  let received = 0;
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    if (isAccepted()) {
      stream.off('data', count);
    } else if (received > maxGreetingBytes) {
      stream.off('data', count);
      socket.close(1009, `at most ${maxGreetingBytes} bytes may come before the first message is accepted`);
      // Else it could fill one last message, up to the limit of all messages.
      socket.pause();
      stream.end();
    }
  };
  stream.on('data', count);
}

/**
 * Reads from a socket only while it takes what it is sent, whatever kind of message asks for the
 * answers: so nobody makes this process hold more for them than a megabyte and the answers of the
 * operations that are open.
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
 * Tells which sockets are there: each is asked by a word of its own, so that nobody can answer what
 * they have not read.
 */
export class Liveness {
  readonly #asked = new WeakMap<WebSocket, string>();

  /** To be called once for each socket. */
  watch(socket: WebSocket): void {
    socket.on('pong', (word) => {
      if (word.toString('latin1') === this.#asked.get(socket)) this.#asked.delete(socket);
    });
  }

  /** Asks a socket; cuts it off where it has not answered the last time. */
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
