import type { HelloFrame, InvokeFrame, ServiceFrame } from '@holdfast/sdk/protocol';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { statusesOf } from '../../../../src/rest/declare/route.ts';
import { connect } from '../../../../src/rest/routes/exceptions.ts';
import { Arrivals } from './arrivals.ts';

export interface Closed {
  code: number;
  reason: string;
}

/**
 * OpenAPI promises every status with which an upgrade can be answered: each refusal of each test is
 * held against it.
 */
export const expectDeclared = (status: number | undefined): void =>
  expect(statusesOf(connect), 'GET /connect').toContain(status);

/** A scripted runner on a real socket. */
export class SocketRunner {
  readonly ws: WebSocket;
  readonly frames = new Arrivals<ServiceFrame>();
  readonly closed: Promise<Closed>;
  readonly #opened: Promise<void>;
  /** Whether pings are answered. */
  answersPings = true;

  constructor(url: string, token: string, headers: Record<string, string> = {}) {
    this.ws = new WebSocket(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
    this.ws.on('message', (data) => {
      const frame: ServiceFrame = JSON.parse(String(data));
      this.frames.add(frame);
      if (frame.type === 'ping' && this.answersPings) this.send({ type: 'pong' });
    });
    this.closed = new Promise((resolve) => {
      this.ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.#opened = new Promise((resolve, reject) => {
      this.ws.on('open', resolve);
      this.ws.on('error', reject);
      this.ws.on('unexpected-response', (request, response) => {
        expectDeclared(response.statusCode);
        reject(new Error(`answered ${response.statusCode}`));
        request.destroy();
      });
    });
    this.#opened.catch(() => undefined);
  }

  opened(): Promise<void> {
    return this.#opened;
  }

  send(frame: unknown): void {
    this.ws.send(JSON.stringify(frame));
  }

  sendText(text: string): void {
    this.ws.send(text);
  }

  /** Says hello and waits until it is ready; resolves with its runner id. */
  async ready(hello: Partial<HelloFrame> = {}): Promise<string> {
    await this.#opened;
    this.send({ type: 'hello', app: 'shop', workflows: [{ name: 'order' }], ...hello });
    return (await this.next('ready')).runnerId;
  }

  next<Type extends ServiceFrame['type']>(type: Type): Promise<Extract<ServiceFrame, { type: Type }>> {
    const isWanted = (frame: ServiceFrame): boolean => frame.type === type;
    return this.frames.next(isWanted, `a frame ${type}`) as Promise<Extract<ServiceFrame, { type: Type }>>;
  }

  /** Answers an invoke. Default: complete with null. */
  answer({ id }: Pick<InvokeFrame, 'id'>, status = 200, body: unknown = { data: null, logs: [] }): void {
    this.send({ type: 'result', id, status, body });
  }

  close(): Promise<Closed> {
    this.ws.close();
    return this.closed;
  }

  /** Vanishes without a goodbye. */
  vanish(): void {
    this.ws.terminate();
  }
}
