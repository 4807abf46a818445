import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Whether an answer has been sent, or its caller has gone. A pipelined answer has no socket until
 * its turn, so its `close` event does not report the end of the connection.
 */
export const isOver = (response: ServerResponse): boolean =>
  response.closed || response.destroyed || response.req.socket.destroyed;

/**
 * Calls `then` when the answer has been sent or the caller has gone, immediately if that has
 * happened. Returns a function that cancels the call.
 */
export function whenOver(response: ServerResponse, then: () => void): () => void {
  if (isOver(response)) {
    then();
    return () => undefined;
  }
  // Wrapped, so that the same function can be added twice.
  const call = (): void => then();
  const calls = callsOf(response);
  calls.add(call);
  return () => void calls.delete(call);
}

/** The callbacks for the end of each answer. They share one listener. */
const callsByResponse = new WeakMap<ServerResponse, Set<() => void>>();

function callsOf(response: ServerResponse): Set<() => void> {
  const known = callsByResponse.get(response);
  if (known) return known;
  const calls = new Set<() => void>();
  callsByResponse.set(response, calls);
  const waiting = waitingFor(response.req.socket);
  const go = (): void => {
    response.off('close', go);
    waiting.delete(go);
    for (const call of calls) {
      calls.delete(call);
      call();
    }
  };
  response.on('close', go);
  waiting.add(go);
  return calls;
}

/** The caller of an answer, for code that does not know HTTP. */
export const presenceOf = (response: ServerResponse) => ({
  isGone: () => isOver(response),
  whenOver: (then: () => void): void => void whenOver(response, then),
});

/**
 * The callbacks for the end of each connection. They share one listener, because a client may
 * pipeline any number of requests.
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

/** A caller that reads nothing of an answer for this long is cut off, in ms. */
const stuckMs = 30_000;

/**
 * From now on the caller must keep reading the answer. The system reports whether it does. Time
 * without anything to read does not count. The end of the answer resets the connection's timeout.
 */
export function cutWhenStuck(response: ServerResponse): void {
  if (response.listenerCount('timeout') > 0) return;
  response.setTimeout(stuckMs, () => {
    if (response.headersSent && response.writableLength > 0) response.destroy();
  });
  if (!response.socket) cutWhenBlocked(response);
}

/**
 * A pipelined answer has no socket of its own that could time out. Its written data waits at most
 * as long as for a caller that does not read. Otherwise a stream ahead of it could block it
 * forever.
 */
function cutWhenBlocked(response: ServerResponse): void {
  const look = setInterval(() => {
    if (response.writableLength > 0) response.req.socket.destroy();
  }, stuckMs).unref();
  const stop = (): void => clearInterval(look);
  response.once('socket', stop);
  whenOver(response, stop);
}
