import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keptOpen } from '../../../support/keptOpen.ts';
import { Arrivals } from './arrivals.ts';

export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A scripted runner behind a real port. */
export class TestHttpRunner {
  readonly calls = new Arrivals<Call>();
  readonly #server: Server;
  respond: (call: Call, response: ServerResponse) => void = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":null,"logs":[]}');
  };

  respondToProbe: (call: Call, response: ServerResponse) => void = (_, response) => {
    response.writeHead(405).end();
  };

  private constructor() {
    this.#server = createServer(keptOpen, (request, response) => void this.#handle(request, response));
  }

  static async open(): Promise<TestHttpRunner> {
    const runner = new TestHttpRunner();
    runner.#server.listen(0, '127.0.0.1');
    await once(runner.#server, 'listening');
    return runner;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/invoke`;
  }

  /** Invokes only. */
  get posts(): Call[] {
    return this.calls.all.filter(({ method }) => method === 'POST');
  }

  post(): Promise<Call> {
    return this.calls.next(({ method }) => method === 'POST', 'an invoke');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { headers, method = '', url: path = '' } = request;
    const call = { method, path, headers, body };
    this.calls.add(call);
    if (method === 'HEAD') this.respondToProbe(call, response);
    else this.respond(call, response);
  }
}
