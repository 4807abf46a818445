import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { EngineContext } from '../../engine/context.ts';
import { unauthenticated } from '../../engine/errors.ts';
import { newId } from '../../engine/ids.ts';
import { admitRequest, requireProject, watchKey } from '../../engine/keys/index.ts';
import { noteOutage } from '../../engine/outages.ts';
import {
  allowPage,
  type BodyRoom,
  credentialsOf,
  cutWhenStuck,
  HttpError,
  isOver,
  type PageRules,
  presenceOf,
  RequestAborted,
  readText,
  whenOver,
} from '../../http/index.ts';
import { failureOf } from '../../rest/index.ts';
import { readSelection } from '../declare/toolsets.ts';
import { Exchange } from '../protocol/exchange.ts';
import { exchangeMember } from '../protocol/server.ts';
import type { AllowedPages } from './allowedPages.ts';
import { handOver } from './handOver.ts';
import { notOffered } from './notOffered.ts';
import { RpcError, readMessage, sendRpcError } from './rpcErrors.ts';

export interface EndpointOptions {
  engine: EngineContext;
  /** The memory for bodies that are arriving. */
  bodies: BodyRoom;
  pages: AllowedPages;
  /** Makes the server of each request. Tests pass one with the fixtures of the protocol's suite. */
  factory: McpServerFactory;
}

/** One for all: making an error costs more than the rest of an abort. */
const callOver = new Error('the call is over');

/** The address `/mcp`: checks hosts, pages and keys, reads the message, and lets the SDK answer. */
export class Endpoint {
  readonly #engine: EngineContext;
  readonly #bodies: BodyRoom;
  readonly #pages: AllowedPages;
  readonly #handler: McpHttpHandler;
  /** The calls under way. */
  readonly #open = new Set<AbortController>();
  #isClosing = false;
  #whenIdle: (() => void) | undefined;

  constructor({ engine, bodies, pages, factory }: EndpointOptions) {
    this.#engine = engine;
    this.#bodies = bodies;
    this.#pages = pages;
    this.#handler = createMcpHandler(factory, {
      legacy: 'stateless',
      // The messages of these errors quote the request.
      onerror: (error) => engine.log.debug({ err: { name: error.name } }, 'message of an agent refused'),
    });
  }

  /** Answers one request. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const ending = new AbortController();
    if (this.#isClosing) ending.abort();
    this.#open.add(ending);
    whenOver(response, () => {
      ending.abort(callOver);
      this.#open.delete(ending);
      if (this.#open.size === 0) this.#whenIdle?.();
    });
    this.#answer(request, response, ending.signal).catch((error: unknown) => this.#fail(response, error));
  }

  /**
   * Ends the waits of calls, now and from now on, and resolves when no call is under way. Calls
   * that still arrive are answered: the server accepts requests until its load balancer has
   * noticed.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const ending of this.#open) ending.abort();
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const origin = this.#pages.admit(request);
    if (origin !== undefined && allowPage(request, response, pageRules)) return;
    if (request.method !== 'POST') throw new HttpError(405, 'method not allowed', { allow: 'POST' });
    const { principal, turn } = await admitRequest(this.#engine, credentialsOf(request), presenceOf(response));
    requireProject(principal);
    const selection = readSelection(searchOf(request.url ?? ''));
    // 5: a revoked key ends what is under way.
    const unwatch = watchKey(this.#engine, principal, () => this.#end(response));
    whenOver(response, unwatch);
    const text = await readText(request, this.#bodies);
    // The key may have ended while the message arrived.
    if (response.headersSent) return;
    const message = readMessage(text, this.#engine.settings.limits.jsonDepth);
    const whenGone = (release: () => void): (() => void) => whenOver(response, release);
    const call = { engine: this.#engine, principal, turn, signal, whenGone };
    await this.#serve(new Exchange(call, selection, message), request, response);
  }

  async #serve(exchange: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const authInfo = { token: '', clientId: '', scopes: [], extra: { [exchangeMember]: exchange } };
    const parsedBody = exchange.message.value;
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    cutWhenStuck(response);
    await handOver({
      fetch: async (each) => notOffered(parsedBody, await this.#handler.fetch(each, { authInfo, parsedBody })),
      request: protocolRequest(request.headers),
      response,
      complete: (text) => exchange.complete(text),
    });
  }

  /** Ends an answer whose key has ended. */
  #end(response: ServerResponse): void {
    if (response.headersSent) response.destroy();
    else this.#fail(response, unauthenticated());
  }

  #fail(response: ServerResponse, thrown: unknown): void {
    if (thrown instanceof RequestAborted || isOver(response)) return;
    // An answer that ended early, because its key has ended, is complete.
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (thrown instanceof RpcError) {
      sendRpcError(response, thrown);
      return;
    }
    const { status, error, headers, isFault } = failureOf(thrown);
    if (isFault) this.#engine.log.error({ err: thrown, requestId: newId() }, 'request of an agent failed');
    else noteOutage(this.#engine, thrown);
    const body = JSON.stringify({ error });
    response
      .writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      .end(body);
  }
}

/** The parts of a request that the protocol reads. The key is not among them. */
function protocolRequest(headers: IncomingHttpHeaders): NodeIncomingMessageLike {
  const named = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  const { accept, 'content-type': contentType } = headers;
  return {
    method: 'POST',
    url: '/mcp',
    headers: { ...Object.fromEntries(named), accept, 'content-type': contentType },
    async *[Symbol.asyncIterator]() {},
  };
}

const pageRules: PageRules = {
  methods: 'POST',
  requestHeaders:
    'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, x-service-project, x-service-actor',
  exposedHeaders: 'www-authenticate',
};

function searchOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}
