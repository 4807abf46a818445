import type { Socket } from 'node:net';
import pg from 'pg';

/** How long the server may say nothing to a statement, in ms. */
export const defaultAnswerMs = 60_000;

/**
 * How much earlier the server gives up what takes too long by itself: then nothing of it goes on
 * there.
 */
const serverLeadMs = 10_000;

/** How long a connection is idle before its other end is asked whether it is still there, in ms. */
export const keepAliveMs = 30_000;

/** `answerMs` of a process whose reads are told to take this long at most. */
export const answerMsFor = (readTimeoutMs: number): number => Math.max(defaultAnswerMs, readTimeoutMs + serverLeadMs);

/** For how long the server executes a statement before it gives it up, in ms: 0 for any time. */
export const statementMs = (answerMs: number): number => Math.max(answerMs - serverLeadMs, Math.floor(answerMs * 0.8));

/**
 * Ends a connection on which the server owes an answer and says nothing for so long: a firewall
 * that drops a connection tells neither side, and TCP repeats what was sent for a quarter of an
 * hour. What waits for it fails as with any connection that breaks, and what became of it is as
 * unknown. Bytes that come or go, however slowly, are no silence. 0: it is kept.
 */
export function endWhenSilent(client: pg.ClientBase, answerMs: number): void {
  if (!(client instanceof pg.Client)) throw new TypeError('not a client of the driver that is in use');
  // Never a mere stream: the driver makes sockets.
  const socket = client.connection.stream as Socket;
  socket.setTimeout(answerMs, () => {
    const heard = socket.bytesRead;
    // A process that stood still itself finds what came meanwhile only after its timers.
    setImmediate(() => {
      if (socket.bytesRead === heard && isOwed(client)) socket.destroy(silence(answerMs));
    });
  });
}

/** Whether a statement is under way. The types of the driver leave it out. */
const isOwed = (client: pg.Client): boolean => Reflect.get(client, 'readyForQuery') === false;

// `isConnectionLost` knows it by its words.
const silence = (answerMs: number): Error =>
  new Error(`connection terminated: the database said nothing for ${answerMs} ms`);
