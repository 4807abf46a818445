import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Whether an answer has left, or there is nobody to take it any more. An answer that waits behind another one of its
 * connection (pipelining) has no socket yet, and hears nothing of the connection's end.
 */
export const isOver = (response: ServerResponse): boolean =>
  response.closed || response.destroyed || response.req.socket.destroyed;

/** Calls back once an answer has left or the caller has gone; at once where that was before. How not to be called. */
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

/** Who is told of a connection's end: by one listener, as a client may send any number of requests at once. */
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
