import { TcpProxy } from './tcpProxy.ts';

export interface MutableProxy {
  /** The URL of the database through this proxy. */
  url: string;
  /** Connections so far. */
  accepted(): number;
  /**
   * From now on the open connections transfer nothing in either direction. Later connections are
   * not affected.
   */
  mute(): void;
  close(): Promise<void>;
}

/**
 * A proxy between a process and PostgreSQL that can mute connections without closing them, as a
 * firewall does.
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
