import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers a request on a socket for which there is no response object, and closes it. */
export function refuseSocket(
  socket: Duplex,
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ error: reason });
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // The peer may be gone already: that is its own affair.
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n${more.join('')}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
