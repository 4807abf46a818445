import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { EngineContext } from '../engine/context.ts';
import { newId } from '../engine/ids.ts';
import { RequestAborted, whenOver } from '../http/index.ts';
import { send } from './declare/answer.ts';
import { openApiText } from './declare/openApi.ts';
import { dispatch } from './dispatch.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import { Metrics } from './health/metrics.ts';
import { Readiness } from './health/readiness.ts';
import { type Match, Matcher } from './matcher.ts';
import { routes } from './routes/index.ts';
import { failureOf, unknownRoute } from './serve/errors.ts';
import { Broadcasts } from './streams/broadcast.ts';
import { OpenStreams } from './streams/openStreams.ts';
import type { Reader } from './streams/runStream.ts';

export interface RestOptions {
  engine: EngineContext;
  schema: GraphQLSchema;
  /** A comment line in quiet streams this often, in ms. */
  streamCommentMs: number;
  /** A stream's reader that takes nothing for this long, in ms, is cut off. Default: 10 000. */
  slowReaderMs?: number | undefined;
  /** Streams that one key may have open. */
  maxStreamsPerKey: number;
  /**
   * Adds what is no route of REST to the Express application behind them: the console's files, say.
   */
  extend?: ((app: Express) => void) | undefined;
}

export interface RestApp {
  /** Answers one request: the listener of an http server. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Ends all streams and resolves once no request is under way. The server itself is its owner's to
   * close.
   */
  close(): Promise<void>;
}

/**
 * The REST surface (4). Declared routes are dispatched straight from the server's listener, as
 * Express alone costs more than all the rest of a request on older Nodes; what no route matches
 * goes on to Express.
 */
export const createRestApp = (options: RestOptions): RestApp => new App(options);

/**
 * What is known of a request while it is under way: for metrics and the log, so never its URL,
 * which may hold secrets.
 */
interface Visit {
  method: string;
  route: string;
  startedAt: number;
  /** A stream lasts as long as its reader likes: its time is no measure of anything. */
  isStream: boolean;
}

class App implements RestApp {
  readonly #engine: EngineContext;
  readonly #streams: OpenStreams;
  readonly #readiness: Readiness;
  readonly #metrics: Metrics;
  readonly #matcher: Matcher<Endpoint>;
  readonly #express: Express;
  #underWay = 0;
  #idle: (() => void) | undefined;

  constructor(options: RestOptions) {
    const { engine, schema, streamCommentMs: commentMs, slowReaderMs = 10_000, maxStreamsPerKey } = options;
    this.#engine = engine;
    this.#streams = new OpenStreams(engine, maxStreamsPerKey);
    this.#readiness = new Readiness(engine);
    this.#metrics = new Metrics({ engine, openStreams: () => this.#streams.size });
    const service = { readiness: this.#readiness, metrics: this.#metrics, openApi: openApiText(schema, routes) };
    const broadcasts = new Broadcasts((error) => engine.log.error({ err: error }, 'a live source of streams failed'));
    const streaming = { streams: this.#streams, broadcasts, commentMs, slowReaderMs };
    this.#matcher = new Matcher(endpointsOf(routes, { schema, service, streaming }));
    this.#express = this.#createExpress(options.extend);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const visit = { method: request.method ?? 'GET', route: 'other', startedAt: performance.now(), isStream: false };
    this.#underWay += 1;
    whenOver(response, () => this.#finish(visit, response));
    try {
      const { path, search } = splitUrl(request.url ?? '/');
      const match = this.#matcher.find(visit.method, path);
      if (match) this.#dispatch(visit, match, search, { request, response });
      else this.#express(request, response);
    } catch (error) {
      this.#fail(visit, response, error);
    }
  }

  #dispatch(visit: Visit, match: Match<Endpoint>, search: string, reader: Reader): void {
    visit.route = match.route.path;
    visit.isStream = match.route.route.kind === 'stream';
    dispatch(this.#engine, match, search, reader).catch((error) => this.#fail(visit, reader.response, error));
  }

  async close(): Promise<void> {
    this.#readiness.stop();
    this.#streams.endAll();
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      const others = this.#idle;
      this.#idle = () => {
        others?.();
        resolve();
      };
    });
  }

  #createExpress(extend: ((app: Express) => void) | undefined): Express {
    const app = express();
    app.disable('x-powered-by').disable('etag');
    extend?.(app);
    app.use(() => {
      throw unknownRoute();
    });
    const fail: ErrorRequestHandler = (error, request, response, _next) =>
      this.#fail({ method: request.method, route: 'other' }, response, error);
    app.use(fail);
    return app;
  }

  /**
   * Answers a failure. Nothing of an unexpected one leaves but a number under which the log tells
   * of it.
   */
  #fail({ method, route }: Pick<Visit, 'method' | 'route'>, response: ServerResponse, thrown: unknown): void {
    if (thrown instanceof RequestAborted) return;
    const { status, error, headers, isFault } = failureOf(thrown);
    const answer = { status, body: { error }, headers };
    if (isFault) {
      const requestId = newId();
      this.#engine.log.error({ err: thrown, requestId, method, route }, 'request failed');
      answer.headers = { 'x-request-id': requestId };
    }
    send(response, answer);
  }

  #finish({ method, route, startedAt, isStream }: Visit, response: ServerResponse): void {
    const durationMs = performance.now() - startedAt;
    const status = response.statusCode;
    if (!isStream) this.#metrics.observe(method, route, status, durationMs);
    this.#engine.log.debug({ method, route, status, durationMs }, 'request answered');
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#idle?.();
  }
}

/** Path and query as they were sent. A client may name the whole URL, as to a proxy. */
function splitUrl(url: string): { path: string; search: string } {
  const local = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark === -1 ? { path: local, search: '' } : { path: local.slice(0, mark), search: local.slice(mark + 1) };
}
