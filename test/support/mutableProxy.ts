import { TcpProxy } from './tcpProxy.ts';

export interface MutableProxy {
  /** The database's address, through here. */
  url: string;
  /** Connections so far. */
  accepted(): number;
  /**
   * From now on nothing passes over the connections that are open, in neither direction. Later ones
   * are not affected.
   */
  mute(): void;
  close(): Promise<void>;
}

/**
 * Stands between a process and PostgreSQL, and can cut connections off without telling either side,
 * as a firewall does.
 */
export async function openMutableProxy(databaseUrl: string): Promise<MutableProxy> {
  const proxy = await TcpProxy.open(databaseUrl, ({ client, backend }) => {
    client.pipe(backend);
    backend.pipe(client);
  });
  return {
    url: proxy.url,
    accepted: () => proxy.accepted,
    mute: () => {
      for (const { client, backend } of proxy.pairs) {
        for (const socket of [client, backend]) {
          socket.unpipe();
          socket.removeAllListeners('close');
          socket.removeAllListeners('end');
          socket.pause();
        }
      }
    },
    close: () => proxy.close(),
  };
}
