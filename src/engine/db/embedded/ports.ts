import { createServer } from 'node:net';

export const localHost = '127.0.0.1';

/** A free port of this machine: `preferred`, if it is free. */
export async function freePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred)) !== undefined) return preferred;
  const port = await tryPort(0);
  if (port === undefined) throw new Error(`no free port on ${localHost}`);
  return port;
}

/** Listens on a port for a moment. Undefined if the port is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: localHost, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
