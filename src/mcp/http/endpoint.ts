import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import type { EngineContext } from '../../engine/context.ts';
import { newId } from '../../engine/ids.ts';
import { admitRequest, requireProject, watchKey } from '../../engine/keys/index.ts';
import {
  type BodyRoom,
  credentialsOf,
  cutWhenStuck,
  HttpError,
  isOver,
  presenceOf,
  RequestAborted,
  readText,
  whenOver,
} from '../../http/index.ts';
import { failureOf } from '../../rest/index.ts';
import type { McpCall } from '../declare/tool.ts';
import { readSelection } from '../declare/toolsets.ts';
import { Exchange } from '../protocol/exchange.ts';
import { exchangeMember } from '../protocol/server.ts';
import type { AllowedPages } from './allowedPages.ts';
import { RpcError, readMessage, sendRpcError } from './rpcErrors.ts';

export interface EndpointOptions {
  engine: EngineContext;
  /** The memory for bodies that are arriving. */
  bodies: BodyRoom;
  pages: AllowedPages;
  /** Makes the server of each request. Tests pass one with the fixtures of the protocol's suite. */
  factory: McpServerFactory;
}

/** The address `/mcp`: checks names, pages and keys, reads the message, and lets the SDK answer. */
export class Endpoint {
  readonly #engine: EngineContext;
  readonly #bodies: BodyRoom;
  readonly #pages: AllowedPages;
  readonly #handler: McpHttpHandler;
  /** The calls under way. */
  readonly #open = new Set<AbortController>();
  #idle: (() => void) | undefined;

  constructor({ engine, bodies, pages, factory }: EndpointOptions) {
    this.#engine = engine;
    this.#bodies = bodies;
    this.#pages = pages;
    this.#handler = createMcpHandler(factory, {
      legacy: 'stateless',
      onerror: (error) => engine.log.debug({ err: { name: error.name } }, 'message of an agent refused'),
    });
  }

  /** Answers one request. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const ending = new AbortController();
    this.#open.add(ending);
    whenOver(response, () => {
      ending.abort();
      this.#open.delete(ending);
      if (this.#open.size === 0) this.#idle?.();
    });
    this.#answer(request, response, ending).catch((error: unknown) => this.#fail(response, error));
  }

  /** Ends the calls that wait, and resolves when all have been answered. */
  async close(): Promise<void> {
    for (const ending of this.#open) ending.abort();
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.#handler.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, ending: AbortController): Promise<void> {
    const origin = this.#pages.admit(request);
    if (origin !== undefined) allowPage(response, origin);
    if (request.method === 'OPTIONS' && origin !== undefined) {
      response.writeHead(204, preflight).end();
      return;
    }
    if (request.method !== 'POST') throw new HttpError(405, 'method not allowed', { allow: 'POST' });
    const { principal, turn } = await admitRequest(this.#engine, credentialsOf(request), presenceOf(response));
    requireProject(principal);
    const selection = readSelection(searchOf(request.url ?? ''));
    const text = await readText(request, this.#bodies);
    const message = readMessage(text, this.#engine.settings.limits.jsonDepth);
    // 5: a revoked key ends what is under way.
    const unwatch = watchKey(this.#engine, principal, () => ending.abort());
    whenOver(response, unwatch);
    ending.signal.addEventListener('abort', () => cutLater(response), { once: true });
    const call: Omit<McpCall, 'client'> = {
      engine: this.#engine,
      principal,
      turn,
      signal: ending.signal,
      whenGone: (release) => whenOver(response, release),
    };
    await this.#serve(new Exchange(call, selection, message), request, response);
  }

  async #serve(exchange: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra: { [exchangeMember]: exchange } };
    const answer = toNodeHandler(
      { fetch: (each, options) => this.#handler.fetch(each, { ...options, authInfo }) },
      { onerror: (error) => this.#engine.log.error({ err: error }, 'answering an agent failed') },
    );
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    await answer(request, response, exchange.message.value);
    if (response.writableLength > 0) cutWhenStuck(response);
  }

  #fail(response: ServerResponse, thrown: unknown): void {
    if (thrown instanceof RequestAborted || response.headersSent || isOver(response)) return;
    if (thrown instanceof RpcError) {
      sendRpcError(response, thrown);
      return;
    }
    const { status, error, headers, isFault } = failureOf(thrown);
    if (isFault) this.#engine.log.error({ err: thrown, requestId: newId() }, 'request of an agent failed');
    const body = JSON.stringify({ error });
    response
      .writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      .end(body);
  }
}

/** How long a call that was ended may take to answer, in ms. */
const lastWordMs = 1_000;

function cutLater(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), lastWordMs).unref();
  whenOver(response, () => clearTimeout(timer));
}

const preflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, x-service-project, x-service-actor',
  'access-control-max-age': '600',
} as const;

function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
}

function searchOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}
