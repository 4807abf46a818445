import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Sends all requests at once over one connection (pipelining), and reads no answers. */
export async function sendAtOnce(url: string, requests: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(requests.join(''));
  return socket;
}

/** The text of a `GET` request. */
export function getText(path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A request that a server received over the connection. */
export interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
}

const servers: Server[] = [];

/** A server whose answers the test writes: `next` resolves with its requests, in order. */
export async function startUnanswering(): Promise<{ url: string; next(): Promise<Asked> }> {
  const asked: Asked[] = [];
  const waiting: ((asked: Asked) => void)[] = [];
  const listener: RequestListener = (request, response) => {
    const go = waiting.shift();
    if (go) go({ request, response });
    else asked.push({ request, response });
  };
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => {
      const first = asked.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** For `afterEach`. */
export async function stopUnanswering(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
