import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Exchange, Frontend, queryMessage } from './frontend.ts';

/** The SQLSTATE with which PostgreSQL is to refuse a statement, or undefined to let it pass. */
export type Refuse = (statement: string) => string | undefined;

/**
 * Stands between the service and PostgreSQL, and has statements fail that a test chooses. The server itself is made to raise
 * the error, in place of the statement and in the transaction where that stands: what follows is as in earnest.
 */
export class DatabaseProxy {
  /** The database's address, through here. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async open(databaseUrl: string, refuse: Refuse): Promise<DatabaseProxy> {
    const { hostname, port } = new URL(databaseUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (!address || typeof address === 'string') throw new Error('no port');
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${address.port}`;
    const proxy = new DatabaseProxy(server, url.href);
    server.on('connection', (client) => proxy.#join(client, connect(Number(port || 5432), hostname), refuse));
    return proxy;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, backend: Socket, refuse: Refuse): void {
    const frontend = new Frontend();
    for (const [socket, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    backend.pipe(client);
    client.on('end', () => backend.end());
    client.on('data', (chunk: Buffer) => {
      for (const exchange of frontend.take(chunk)) backend.write(passedOn(exchange, refuse));
    });
  }
}

function passedOn({ statement, bytes }: Exchange, refuse: Refuse): Buffer {
  const state = statement === undefined ? undefined : refuse(statement);
  if (state === undefined) return bytes;
  const raise = `do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`;
  // A commit that fails leaves no transaction behind.
  return queryMessage(/^commit\b/i.test(statement ?? '') ? `rollback; ${raise}` : raise);
}
