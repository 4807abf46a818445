import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Whether an answer has left, or there is nobody to take it any more. An answer that waits behind
 * another one of its connection (pipelining) has no socket yet, and hears nothing of the
 * connection's end.
 */
export const isOver = (response: ServerResponse): boolean =>
  response.closed || response.destroyed || response.req.socket.destroyed;

/**
 * Calls back once an answer has left or the caller has gone; at once where that was before. How not
 * to be called.
 */
export function whenOver(response: ServerResponse, then: () => void): () => void {
  if (isOver(response)) {
    then();
    return () => undefined;
  }
  const waiting = waitingFor(response.req.socket);
  const forget = (): void => {
    response.off('close', go);
    waiting.delete(go);
  };
  const go = (): void => {
    forget();
    then();
  };
  response.once('close', go);
  waiting.add(go);
  return forget;
}

/**
 * Who is told of a connection's end: by one listener, as a client may send any number of requests
 * at once.
 */
const waitingBySocket = new WeakMap<Socket, Set<() => void>>();

function waitingFor(socket: Socket): Set<() => void> {
  const known = waitingBySocket.get(socket);
  if (known) return known;
  const waiting = new Set<() => void>();
  waitingBySocket.set(socket, waiting);
  socket.once('close', () => {
    for (const go of waiting) go();
  });
  return waiting;
}

/** A caller that takes nothing of an answer for so long is cut off, in ms. */
const stuckMs = 30_000;

/**
 * From here on the caller must take something of the answer now and then; Node asks the system
 * whether they do. Time in which there is nothing for them to take does not count. Its end sets the
 * connection's time-out back.
 */
export function cutWhenStuck(response: ServerResponse): void {
  if (response.listenerCount('timeout') > 0) return;
  response.setTimeout(stuckMs, () => {
    if (response.headersSent && response.writableLength > 0) response.destroy();
  });
  if (!response.socket) cutWhenBlocked(response);
}

/**
 * Behind another answer of its connection (pipelining), an answer has no socket yet that could time
 * out. What is ready waits for the one ahead no longer than for a caller who takes nothing: a
 * stream would hold it up for as long as they like.
 */
function cutWhenBlocked(response: ServerResponse): void {
  const look = setInterval(() => {
    if (response.writableLength > 0) response.req.socket.destroy();
  }, stuckMs).unref();
  const stop = (): void => clearInterval(look);
  response.once('socket', stop);
  whenOver(response, stop);
}
