import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a refused peer has to read its answer and finish sending, in ms. */
const leaveMs = 1_000;

const refused = new WeakSet<Duplex>();

/** Whether a socket is open only so that its peer can read the refusal. */
export const isRefused = (socket: Duplex): boolean => refused.has(socket);

/**
 * Answers a request that has no response object, and closes its socket: with the peer, or a second
 * later. Discards further data of the peer. Unread data would reset the connection before the peer
 * reads the answer.
 */
export function refuseSocket(
  socket: Duplex,
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ error: reason });
  const sent = { 'Content-Type': 'application/json; charset=utf-8', ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  // The peer may have disconnected already.
  socket.on('error', () => socket.destroy());
  refused.add(socket);
  socket.resume();
  // Node no longer tracks an upgraded socket, and a peer may keep its side open forever.
  const late = setTimeout(() => socket.destroy(), leaveMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n${lines.join('')}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
