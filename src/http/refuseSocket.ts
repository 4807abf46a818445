import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** For how long a refused peer may take its answer, and finish what it is sending, in ms. */
const leaveMs = 1_000;

const refused = new WeakSet<Duplex>();

/** Whether a socket is open only so that its peer gets to read the refusal. */
export const isRefused = (socket: Duplex): boolean => refused.has(socket);

/**
 * Answers a request on a socket for which there is no response object, and closes it: when the peer
 * does so too, or a second later. What the peer still sends is thrown away; unread, it would break
 * the connection before the answer is read.
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
  // The peer may be gone already: that is its own affair.
  socket.on('error', () => socket.destroy());
  refused.add(socket);
  socket.resume();
  // Nobody else looks after it: Node has given an upgraded socket away, and a peer may keep its
  // side open for ever.
  const late = setTimeout(() => socket.destroy(), leaveMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n${lines.join('')}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
