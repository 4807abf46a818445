import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { GraphqlServer } from './server.ts';

export interface RawSocket {
  socket: WebSocket;
  closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  next(): Promise<string>;
}

/** A socket that speaks the protocol by hand: what is sent, and what comes, is seen as text. */
export async function openSocket(server: GraphqlServer, headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = new WebSocket(server.socketUrl, 'graphql-transport-ws', { headers });
  const messages: string[] = [];
  const waiting: ((message: string) => void)[] = [];
  socket.on('message', (data) => {
    const next = waiting.shift();
    if (next) next(String(data));
    else messages.push(String(data));
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    socket,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () => {
      const message = messages.shift();
      return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    },
  };
}

/** The same, once the service took its key. */
export async function acceptedSocket(server: GraphqlServer, token: string): Promise<RawSocket> {
  const socket = await openSocket(server);
  socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  expect(JSON.parse(await socket.next())).toEqual({ type: 'connection_ack' });
  return socket;
}
