import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Pair {
  client: Socket;
  backend: Socket;
}

/**
 * A proxy between a process and a server. The code that opens it transfers the data. Both sides end
 * together.
 */
export class TcpProxy {
  /** The server's URL through this proxy. */
  readonly url: string;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #accepted = 0;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** `targetUrl` names a PostgreSQL. `pass` is called for each connection. */
  static async open(targetUrl: string, pass: (pair: Pair) => void): Promise<TcpProxy> {
    const { hostname, port } = new URL(targetUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (!address || typeof address === 'string') throw new Error('no port');
    const url = new URL(targetUrl);
    url.host = `127.0.0.1:${address.port}`;
    const proxy = new TcpProxy(server, url.href);
    server.on('connection', (client) => {
      const pair = { client, backend: connect(Number(port || 5432), hostname) };
      proxy.#join(pair);
      pass(pair);
    });
    return proxy;
  }

  /** Connections so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Connections that are open. */
  get pairs(): readonly Pair[] {
    return [...this.#pairs];
  }

  /** Idempotent. */
  async close(): Promise<void> {
    for (const { client, backend } of this.#pairs) for (const socket of [client, backend]) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(pair: Pair): void {
    const { client, backend } = pair;
    this.#accepted += 1;
    this.#pairs.add(pair);
    for (const [socket, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
  }
}
