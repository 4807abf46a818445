import type { IncomingMessage, ServerResponse } from 'node:http';

export interface UnreadLimits {
  /** Bytes that are discarded after the answer: a client that is still sending can read it. */
  unreadBytes: number;
  /** How long the rest of the body may take after the answer, in ms. */
  unreadMs: number;
}

/** The most bytes of a body that are read and discarded. Beyond that the connection is cut. */
export const maxDiscardedBytes = 16 * 1024 * 1024;

/**
 * Cuts the connection if a caller goes on sending a body for long after the answer, as with a
 * request that was refused before its body was read. Node would read it to its end.
 */
export function cutUnreadBody(request: IncomingMessage, response: ServerResponse, limits: UnreadLimits): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  // Emitted when the answer has been handed over, before Node discards the rest.
  response.once('prefinish', () => {
    if (!request.complete) discard(request, limits);
  });
}

function discard(request: IncomingMessage, { unreadBytes, unreadMs }: UnreadLimits): void {
  let discarded = 0;
  const late = setTimeout(() => request.socket.destroy(), unreadMs).unref();
  request.once('close', () => clearTimeout(late));
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > unreadBytes) request.socket.destroy();
  });
}
