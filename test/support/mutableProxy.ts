import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a process and PostgreSQL, and can cut connections off without telling either side, as a firewall does. */
export class MutableProxy {
  /** The database's address, through here. */
  readonly url: string;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, backend: Socket]>();
  #accepted = 0;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async open(databaseUrl: string): Promise<MutableProxy> {
    const { hostname, port } = new URL(databaseUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (!address || typeof address === 'string') throw new Error('no port');
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${address.port}`;
    const proxy = new MutableProxy(server, url.href);
    server.on('connection', (client) => proxy.#join(client, connect(Number(port || 5432), hostname)));
    return proxy;
  }

  /** Connections so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** From now on nothing passes over the connections that are open, in neither direction. Later ones are not affected. */
  mute(): void {
    for (const [client, backend] of this.#pairs) {
      for (const socket of [client, backend]) {
        socket.unpipe();
        socket.removeAllListeners('close');
        socket.removeAllListeners('end');
        socket.pause();
      }
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, backend: Socket): void {
    const pair = [client, backend] as const;
    this.#accepted += 1;
    this.#pairs.add(pair);
    for (const [socket, other] of [pair, [backend, client]] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
    client.pipe(backend);
    backend.pipe(client);
  }
}
