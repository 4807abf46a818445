import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventStream } from '../../src/http/eventStream.ts';

const servers: Server[] = [];

export interface OpenedStream {
  stream: EventStream;
  reader: IncomingMessage;
  response: ServerResponse;
}

/** A stream with a reader at the other end of a real socket. */
export async function openEventStream(
  options: { commentMs?: number; slowReaderMs?: number } = {},
): Promise<OpenedStream> {
  const server = createServer();
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const sent = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [, response] = await asked;
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const stream = new EventStream(response, { commentMs: 60_000, slowReaderMs: 60_000, ...options });
  const [reader] = await answered;
  return { stream, reader, response };
}

/** For `afterEach`. */
export async function closeEventStreams(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
