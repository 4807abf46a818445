import { EventEmitter, once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { keptOpen } from '../keptOpen.ts';
import { answerTurn } from './answerTurn.ts';
import type { Turn } from './turn.ts';

/** A request that a fake has received. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  idempotencyKey: string | undefined;
  /** Parsed. Undefined if it is no JSON object. */
  body: { [key: string]: unknown };
  at: Date;
  /** Resolves when the answer has left, or the connection has gone. */
  closed: Promise<'answered' | 'aborted'>;
}

/** Decides what follows a request. A promise keeps the request waiting. */
export type Script = (request: Received) => Turn | Promise<Turn>;

/**
 * A provider on loopback that speaks Anthropic's Messages, OpenAI's chat completions, Responses and
 * embeddings, by the path of a request. Answers with the turns it was given, in their order, and
 * with `Hello.` when there are none left.
 */
export class FakeProvider {
  readonly ledger: Received[] = [];
  readonly #server: Server;
  readonly #events = new EventEmitter();
  readonly #turns: (Turn | Script)[] = [];
  #otherwise: Script = () => ({ text: 'Hello.' });

  private constructor() {
    this.#server = createServer(keptOpen, (request, response) => void this.#serve(request, response));
    this.#events.setMaxListeners(0);
  }

  static async start(): Promise<FakeProvider> {
    const fake = new FakeProvider();
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  /** The base URL of compatible servers, with `/v1`. */
  get url(): string {
    return `${this.origin}/v1`;
  }

  get origin(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the fake does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The answers to the next requests. */
  answers(...turns: (Turn | Script)[]): void {
    this.#turns.push(...turns);
  }

  /** The answer to each request without a turn of its own. */
  always(script: Script): void {
    this.#otherwise = script;
  }

  /** Resolves with the request of this number, from 0, as soon as it has come. */
  async received(number = 0): Promise<Received> {
    for (;;) {
      const entry = this.ledger[number];
      if (entry) return entry;
      await once(this.#events, 'received');
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    request.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = entryOf(request, response, Buffer.concat(chunks).toString());
    const turn = this.#turns.shift() ?? this.#otherwise;
    this.ledger.push(received);
    this.#events.emit('received');
    await answerTurn(typeof turn === 'function' ? await turn(received) : turn, received, response);
  }
}

function entryOf(
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
  text: string,
): Received {
  const key = headers['idempotency-key'];
  return {
    method,
    path: url,
    headers,
    idempotencyKey: typeof key === 'string' ? key : undefined,
    body: text.startsWith('{') ? JSON.parse(text) : {},
    at: new Date(),
    closed: once(response, 'close').then(() => (response.writableFinished ? 'answered' : 'aborted')),
  };
}
