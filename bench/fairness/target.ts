// The service as its attackers reach it: the public interfaces only, so that the same workload runs
// against any version.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { until } from '../waiting.ts';

export interface Target {
  baseUrl: string;
  /** A secret key of the attacker's project. */
  apiKey: string;
}

/** An answer or the end of a connection is awaited for at most this time, in ms. */
const patienceMs = 60_000;

/** The text of a `GET` request. */
export const getText = (path: string, apiKey: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;

interface Pipelining {
  /** How long the connection stays open after the write, in ms. */
  holdMs: number;
  /** Whether the answers are read. */
  isRead: boolean;
}

/** Sends all requests in one write over one connection. Returns the bytes that were received. */
export async function pipeline(
  { baseUrl }: Target,
  requests: readonly string[],
  { holdMs, isRead }: Pipelining,
): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (isRead) socket.resume();
  socket.write(requests.join(''));
  await delay(holdMs);
  const { bytesRead } = socket;
  socket.destroy();
  return bytesRead;
}

/** Sends a JSON body. Returns the status; 0 if there was no answer. */
export async function post({ baseUrl, apiKey }: Target, path: string, body: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Resolves when so many runs of the project are waiting. */
export async function untilWaiting({ baseUrl, apiKey }: Target, runs: number): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const areWaiting = async (): Promise<boolean> => {
    const response = await fetch(`${baseUrl}/runs/stats`, { headers });
    const stats: { byStatus: { waiting: number } } = JSON.parse(await response.text());
    return stats.byStatus.waiting >= runs;
  };
  await until(areWaiting, { limitMs: patienceMs, everyMs: 100, what: `${runs} runs waiting` });
}

/** Runs one request after the other, and counts their statuses. */
export async function inTurn(times: number, send: (n: number) => Promise<number>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (let n = 0; n < times; n += 1) {
    const status = `status${await send(n)}`;
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** Opens `/connect` and registers workflows. Returns whether they were accepted. */
export async function register(target: Target, runner: string, workflows: readonly object[]): Promise<boolean> {
  const socket = open(target, '/connect');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', app: runner, runner, workflows }));
  return Promise.race([
    once(socket, 'message').then(([data]) => String(data).includes('"ready"')),
    once(socket, 'close').then(() => false),
    delay(patienceMs, false),
  ]);
}

/** Opens a socket for GraphQL that is accepted. */
export async function openGraphql(target: Target): Promise<WebSocket> {
  const socket = open(target, '/graphql', 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}

/** Resolves with the number of messages, once there are so many, or the socket has closed. */
export async function answers(socket: WebSocket, count: number): Promise<number> {
  let received = 0;
  const all = new Promise<void>((resolve) => {
    socket.on('message', () => {
      received += 1;
      if (received === count) resolve();
    });
    socket.once('close', () => resolve());
  });
  await Promise.race([all, delay(patienceMs)]);
  return received;
}

function open({ baseUrl, apiKey }: Target, path: string, protocol?: string): WebSocket {
  const url = baseUrl.replace(/^http/, 'ws') + path;
  const socket = new WebSocket(url, protocol === undefined ? [] : [protocol], {
    headers: { authorization: `Bearer ${apiKey}` },
    perMessageDeflate: false,
  });
  socket.on('error', () => undefined);
  return socket;
}
