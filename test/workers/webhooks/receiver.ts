import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { keptOpen } from '../../support/keptOpen.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A local receiver of deliveries, closed after the test. */
export class Receiver {
  readonly received: Received[] = [];
  /** Connections that were opened. */
  connections = 0;
  readonly #server: Server;
  #url = '';

  /** `answer` is called once the body has arrived. Default: 204. */
  constructor(answer: RequestListener = (_, response) => response.writeHead(204).end()) {
    this.#server = createServer(keptOpen, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method = '', url: path = '', headers } = request;
      this.received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async open(answer?: RequestListener): Promise<Receiver> {
    const receiver = new Receiver(answer);
    receiver.#url = await listen(receiver.#server);
    onTestFinished(() => receiver.close());
    return receiver;
  }

  get url(): string {
    return `${this.#url}/hook`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A receiver below HTTP: `talk` has the socket once the first bytes of a request have arrived. */
export async function openRawReceiver(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      socket.on('data', () => undefined);
      talk(socket);
    });
  });
  const url = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `${url}/hook`;
}

async function listen(server: Server | TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
