import type { Socket } from 'node:net';
import pg from 'pg';

/** How long a statement waits for any byte from the server, in ms. */
export const defaultAnswerMs = 60_000;

/** How much earlier the server cancels a slow statement, so that it does not continue there. */
const serverLeadMs = 10_000;

/** How long a connection is idle before TCP checks its other end, in ms. */
export const keepAliveMs = 30_000;

/** `answerMs` of a process whose reads may take this long. */
export const answerMsFor = (readTimeoutMs: number): number => Math.max(defaultAnswerMs, readTimeoutMs + serverLeadMs);

/** The server's time limit for a statement, in ms; 0 for none. */
export const statementMs = (answerMs: number): number => Math.max(answerMs - serverLeadMs, Math.floor(answerMs * 0.8));

/**
 * Ends a connection if the server owes an answer and stays silent for `answerMs` (0: never). A
 * firewall that drops a connection tells neither side, and TCP retransmits for 15 minutes. Waiting
 * statements fail as with any lost connection: their outcome is unknown. Any byte, however slow,
 * ends the silence.
 */
export function endWhenSilent(client: pg.ClientBase, answerMs: number): void {
  if (!(client instanceof pg.Client)) throw new TypeError('not a client of the driver that is in use');
  // The driver makes sockets only.
  const socket = client.connection.stream as Socket;
  socket.setTimeout(answerMs, () => {
    const heard = socket.bytesRead;
    // If this process was frozen, bytes that arrived meanwhile are read only after its timers.
    setImmediate(() => {
      if (socket.bytesRead === heard && isOwed(client)) socket.destroy(silence(answerMs));
    });
  });
}

/** Whether a statement is in progress. The driver's types omit this field. */
const isOwed = (client: pg.Client): boolean => Reflect.get(client, 'readyForQuery') === false;

// `isConnectionLost` recognizes this text.
const silence = (answerMs: number): Error =>
  new Error(`connection terminated: no answer from the database for ${answerMs} ms`);
