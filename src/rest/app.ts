import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Registry } from 'prom-client';
import type { EngineContext } from '../engine/context.ts';
import { newId } from '../engine/ids.ts';
import type { Principal } from '../engine/keys/index.ts';
import { noteOutage } from '../engine/outages.ts';
import { type BodyRoom, type EventStreamOptions, RequestAborted, type StreamPermit, whenOver } from '../http/index.ts';
import { send } from './declare/answer.ts';
import { openApiText } from './declare/openApi.ts';
import { dispatch, type SentUrl } from './dispatch.ts';
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
  /** The interval of comment lines in quiet streams, in ms. */
  streamCommentMs: number;
  /** How long a stream's reader may read nothing before it is cut off, in ms. Default: 10 000. */
  slowReaderMs?: number | undefined;
  /** The memory for bodies that are arriving. GraphQL shares it. */
  bodies: BodyRoom;
  /** How old figures of `/metrics` from the database may be, in ms. Default: 5 s. */
  figuresMs?: number | undefined;
  /** Adds metrics of other surfaces to `/metrics`. */
  addMetrics?: ((registers: Registry[]) => void) | undefined;
  /** Adds further handlers to the Express application, such as the console's files. */
  extend?: ((app: Express) => void) | undefined;
}

export interface RestApp {
  /** The streams of the process, which GraphQL shares: one limit per key, and one end. */
  readonly streams: EventStreamOptions & { admit(principal: Principal): StreamPermit };
  /** Answers one request, as the listener of an http server. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Ends all streams, and resolves when all requests have been answered. The owner of the server
   * closes it.
   */
  close(): Promise<void>;
}

/**
 * The REST interface (4). Requests of declared routes bypass Express, which costs more than the
 * rest of a request on older versions of Node. Other requests go to Express.
 */
export const createRestApp = (options: RestOptions): RestApp => new App(options);

/**
 * Facts about a request, for metrics and the log. The URL is not among them, because it may hold
 * secrets.
 */
interface Visit {
  method: string;
  route: string;
  startedAt: number;
  /** The duration of a stream is its reader's choice, so it is not measured. */
  isStream: boolean;
}

class App implements RestApp {
  readonly streams: RestApp['streams'];
  readonly #engine: EngineContext;
  readonly #bodies: BodyRoom;
  readonly #streams: OpenStreams;
  readonly #readiness: Readiness;
  readonly #metrics: Metrics;
  readonly #matcher: Matcher<Endpoint>;
  readonly #express: Express;
  #underWay = 0;
  #idle: (() => void) | undefined;

  constructor(options: RestOptions) {
    const { engine, schema, streamCommentMs: commentMs, slowReaderMs = 10_000 } = options;
    this.#engine = engine;
    this.#bodies = options.bodies;
    this.#streams = new OpenStreams(engine);
    this.#readiness = new Readiness(engine);
    const { addMetrics, figuresMs: maxAgeMs } = options;
    this.#metrics = new Metrics({ engine, openStreams: () => this.#streams.size, addMetrics, maxAgeMs });
    const service = { readiness: this.#readiness, metrics: this.#metrics, openApi: openApiText(schema, routes) };
    const broadcasts = new Broadcasts((error) => engine.log.error({ err: error }, 'a live source of streams failed'));
    const streaming = { streams: this.#streams, broadcasts, commentMs, slowReaderMs };
    this.streams = { admit: (principal) => this.#streams.admit(principal), commentMs, slowReaderMs };
    this.#matcher = new Matcher(endpointsOf(routes, { schema, service, streaming }));
    this.#express = this.#createExpress(options.extend);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const visit = { method: request.method ?? 'GET', route: 'other', startedAt: performance.now(), isStream: false };
    this.#underWay += 1;
    whenOver(response, () => this.#finish(visit, response));
    try {
      const url = splitUrl(request.url ?? '/');
      const match = this.#matcher.find(visit.method, url.path);
      if (match) this.#dispatch(visit, match, url, { request, response });
      else this.#express(request, response);
    } catch (error) {
      this.#fail(visit, response, error);
    }
  }

  #dispatch(visit: Visit, match: Match<Endpoint>, url: SentUrl, reader: Reader): void {
    visit.route = match.route.path;
    visit.isStream = match.route.route.kind === 'stream';
    const parts = { engine: this.#engine, bodies: this.#bodies };
    dispatch(parts, match, url, reader).catch((error) => this.#fail(visit, reader.response, error));
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
    app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
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
   * Answers a failure. An unexpected one shows the caller only an id, under which the log has the
   * details.
   */
  #fail({ method, route }: Pick<Visit, 'method' | 'route'>, response: ServerResponse, thrown: unknown): void {
    if (thrown instanceof RequestAborted) return;
    const { status, error, headers, isFault } = failureOf(thrown);
    const answer = { status, body: { error }, headers };
    if (isFault) {
      const requestId = newId();
      this.#engine.log.error({ err: thrown, requestId, method, route }, 'request failed');
      answer.headers = { 'x-request-id': requestId };
    } else noteOutage(this.#engine, thrown);
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

/** A client may send the whole URL, as to a proxy. */
function splitUrl(url: string): SentUrl {
  const local = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark === -1 ? { path: local, search: '' } : { path: local.slice(0, mark), search: local.slice(mark + 1) };
}
