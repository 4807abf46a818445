import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EngineContext } from '../../engine/context.ts';
import type { IsNewEvent } from '../../engine/event-tail/index.ts';
import { type JsonDocument, readJson } from '../../engine/json/index.ts';
import type { KeyTurn, Principal } from '../../engine/keys/index.ts';
import type { StreamPath } from '../../engine/tickets/index.ts';
import type { BodyRoom } from '../../http/index.ts';
import type { Metrics } from '../health/metrics.ts';
import type { Readiness } from '../health/readiness.ts';
import type { Answer } from './answer.ts';
import { type Fields, type FieldValues, readFields } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';
import {
  lastEventParameter,
  type Parameters,
  type ParameterValues,
  readParameters,
  streamParameters,
} from './parameters.ts';
import type { Query } from './query.ts';

/** The header with which a request refuses what is not declared, `1`. */
export const strictHeader = 'X-Strict';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * The callers that a route admits (5). `none`: all, without a key. `read`: any key, for its
 * project. `write`: any key but a public one, for its project. `watch`: a secret key or the
 * operator's, for the whole service.
 */
export type Scope = 'none' | 'read' | 'write' | 'watch';

export type Group = 'workflows' | 'events' | 'runs' | 'approvals' | 'webhooks' | 'runners' | 'service';

/** Failures of a route beyond those that follow from its scope, its parameters and its body. */
export type FailureStatus = 401 | 404 | 409 | 413 | 426 | 501 | 502 | 503;

interface Declaration {
  method: Method;
  path: string;
  scope: Scope;
  group: Group;
  summary: string;
  parameters: Parameters;
  body: Body<Fields> | undefined;
  failures: readonly FailureStatus[];
}

export interface Body<F extends Fields> {
  /** Whether a request without a body is refused. */
  required: boolean;
  fields: F;
  /** Refuses fields that are not declared: a misspelt one would silently be off. */
  isStrict?: true;
  /** How many fields there are at least. The engine checks it. */
  minFields?: number;
}

export interface RouteRequest {
  path: Record<string, string>;
  query: Query;
  /** Undefined if the request has no body, or the route takes none. */
  body: JsonDocument | undefined;
}

/** A route that executes a GraphQL document in this process, as most do. */
export interface DocumentRoute extends Declaration {
  kind: 'document';
  document: string;
  variables(request: RouteRequest): Record<string, unknown>;
  success: DocumentSuccess;
}

export interface DocumentSuccess {
  status: 200 | 201 | 202 | 204;
  /** The path of the body in the document's answer. */
  at: readonly string[];
  /** The name of the body in OpenAPI, if it is no fragment alone. */
  name?: string;
  /** Members beside those at the path, each by a path of its own. */
  beside?: Readonly<Record<string, readonly string[]>>;
  /** The text of the `404` if there is no value at the path. */
  missing?: string;
  /**
   * The path of a keyset page's page info. If more rows follow, its end cursor is answered in
   * `X-Next-Cursor`.
   */
  page?: readonly string[];
  /** Answers all pages in one body. The document takes the start of each page as `$after`. */
  whole?: true;
  /** The path of the position after which more rows follow, answered in `X-Next-From`. */
  nextFrom?: readonly string[];
}

/** Frames of several kinds: the `event:` line is a member of the body. */
export interface EventFrames {
  member: string;
  /** What frames of each kind carry beside the members that all have. */
  frames: Readonly<Record<string, Frame>>;
}

export interface Frame {
  /** The name in OpenAPI. */
  name: string;
  has: readonly string[];
  mayHave: readonly string[];
  /** Further members that frames of this kind have, with the only words that they take there. */
  words?: Readonly<Record<string, readonly string[]>>;
}

/** A live stream: a subscription, sent as Server-Sent Events (6.3). */
export interface StreamRoute extends Declaration {
  kind: 'stream';
  document: string;
  /** How OpenAPI describes the header `Last-Event-ID`, if the stream resumes after it. */
  lastEventId?: { description: string; schema: JsonSchema };
  /**
   * `lastEventId` is the header that a browser sends when it reconnects, or else the parameter of
   * that name. It wins over other parameters.
   */
  variables(request: RouteRequest, lastEventId: string | undefined): Record<string, unknown>;
  at: string;
  /** The `event:` line: a member of the body, or a fixed word. */
  event: EventFrames | { word: string };
  /** The member whose value is the `id:` line. */
  id?: string;
  /** Members at the start of every body. */
  constant?: Readonly<Record<string, string>>;
  /**
   * Whether all readers with these variables receive the same events from now on, so that one
   * subscription serves them.
   */
  isShared?(variables: Record<string, unknown>): boolean;
  /** A call for each reader of a shared subscription, before it opens: which events are new. */
  begin?(call: KeyedCall): Promise<IsNewEvent>;
  /** A check before the stream opens. */
  preflight?: Preflight;
}

export interface Preflight {
  document: string;
  variables(request: RouteRequest): Record<string, unknown>;
  at: readonly string[];
  missing: string;
  /** Whether the stream will end by itself. An empty one is then answered `204`. */
  isFinite(found: unknown): boolean;
}

/** A route without a GraphQL document. `exceptions.ts` lists them all. */
export interface ExceptionRoute extends Declaration {
  kind: 'exception';
  success: { status: 200; type: string; schema: JsonSchema; name?: string } | { status: 101 };
  answer(call: Call, service: AppParts): Promise<Answer>;
}

/**
 * A route that reads the bytes of its body by itself, before any parser. `exceptions.ts` lists
 * them.
 */
export interface RawRoute extends Declaration {
  kind: 'raw';
  successes: readonly { status: 200 | 202; meaning: string; name: string; schema: JsonSchema }[];
  answer(call: RawCall, service: AppParts): Promise<Answer>;
}

export interface RawCall {
  engine: EngineContext;
  path: Record<string, string>;
  request: IncomingMessage;
  response: ServerResponse;
  /** The memory for bodies that are arriving. */
  bodies: BodyRoom;
}

export interface Call extends RouteRequest {
  engine: EngineContext;
  /** Undefined if the route's scope is `none`. */
  principal: Principal | undefined;
  /** The place of the request among those of its key. */
  turn: KeyTurn | undefined;
}

/** The parts of the application that exceptions use. */
export interface AppParts {
  readiness: Readiness;
  metrics: Metrics;
  openApi: string;
}

/** An authenticated call that acts in a project. */
export interface KeyedCall extends Call {
  principal: Principal;
  turn: KeyTurn;
}

export type Route = DocumentRoute | StreamRoute | ExceptionRoute | RawRoute;

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;

interface Read<P extends string, Q extends Parameters, F extends Fields> {
  path: Record<PathNames<P>, string>;
  query: ParameterValues<Q>;
  body: FieldValues<F>;
}

interface Typed<P extends string, Q extends Parameters, F extends Fields> {
  method: Method;
  path: P;
  scope: Scope;
  group: Group;
  summary: string;
  parameters?: Q;
  body?: Body<F>;
  failures?: readonly FailureStatus[];
  variables?(read: Read<P, Q, F>): Record<string, unknown>;
}

export function documentRoute<const P extends string, Q extends Parameters, F extends Fields>(
  declared: Typed<P, Q, F> & Pick<DocumentRoute, 'document' | 'success'>,
): DocumentRoute {
  return {
    ...base(declared),
    kind: 'document',
    document: declared.document,
    success: declared.success,
    variables: (request) => declared.variables?.(readRequest(declared, request)) ?? {},
  };
}

type StreamParts = Pick<
  StreamRoute,
  'document' | 'at' | 'event' | 'id' | 'lastEventId' | 'constant' | 'isShared' | 'begin' | 'preflight'
>;

/** Its path is one that a ticket can open. */
export function streamRoute<const P extends StreamPath, Q extends Parameters>(
  declared: Omit<Typed<P, Q, Fields>, 'method' | 'scope' | 'body' | 'variables'> &
    StreamParts & { variables?(read: Read<P, Q, Fields>, lastEventId: string | undefined): Record<string, unknown> },
): StreamRoute {
  const route: Typed<P, Q, Fields> = { ...declared, method: 'GET', scope: 'read', variables: () => ({}) };
  const { document, at, event, id, lastEventId, constant, isShared, begin, preflight } = declared;
  const resuming = lastEventId && { lastEventId: lastEventParameter(lastEventId) };
  const parameters = { ...declared.parameters, ...streamParameters, ...resuming };
  return {
    ...base({ ...route, parameters }),
    kind: 'stream',
    document,
    at,
    event,
    ...(id !== undefined && { id }),
    ...(lastEventId && { lastEventId }),
    ...(constant && { constant }),
    ...(isShared && { isShared }),
    ...(begin && { begin }),
    ...(preflight && { preflight }),
    variables: (request, lastEventId) => declared.variables?.(readRequest(route, request), lastEventId) ?? {},
  };
}

export function exceptionRoute(
  declared: Pick<ExceptionRoute, 'method' | 'path' | 'scope' | 'group' | 'summary' | 'success' | 'answer'> & {
    parameters?: Parameters;
    body?: Body<Fields>;
    failures?: readonly FailureStatus[];
  },
): ExceptionRoute {
  return { ...base(declared), kind: 'exception', success: declared.success, answer: declared.answer };
}

export const rawRoute = (
  declared: Pick<RawRoute, 'method' | 'path' | 'group' | 'summary' | 'failures' | 'successes' | 'answer'>,
): RawRoute => ({
  ...base({ ...declared, scope: 'none' }),
  kind: 'raw',
  successes: declared.successes,
  answer: declared.answer,
});

function base(declared: Omit<Typed<string, Parameters, Fields>, 'variables'>): Declaration {
  const { method, path, scope, group, summary, parameters = {}, body, failures = [] } = declared;
  return { method, path, scope, group, summary, parameters, body, failures };
}

const noBody = readJson('{}');

function readRequest<P extends string, Q extends Parameters, F extends Fields>(
  { parameters, body }: Pick<Typed<P, Q, F>, 'parameters' | 'body'>,
  request: RouteRequest,
): Read<P, Q, F> {
  return {
    path: request.path,
    query: readParameters(parameters, request.query),
    body: readFields(body?.fields, request.body ?? noBody, body?.isStrict),
  };
}

/**
 * Whether a request's body is read as JSON. An unreadable body is refused even if the route needs
 * none of its fields.
 */
export const readsBody = ({ kind, method }: Route): boolean => kind !== 'raw' && method !== 'GET';

/**
 * Every status that a route can answer (7), for OpenAPI and for the tests, which check every
 * answer.
 */
export function statusesOf(route: Route): number[] {
  // 400: the query string of any request may be unreadable. 405: other methods of the same path.
  // 408, 431: the server answers before a route is known.
  const statuses = new Set<number>([...route.failures, 400, 405, 408, 431, 500]);
  if (route.kind === 'raw') for (const { status } of route.successes) statuses.add(status);
  else statuses.add(route.kind === 'stream' ? 200 : route.success.status);
  if (route.kind === 'stream' && route.preflight) statuses.add(204);
  // 404: a platform or operator key may name a project that does not exist.
  // 503: the database is away, or the project's queue is full.
  if (route.scope !== 'none') statuses.add(401).add(404).add(503);
  if (route.scope === 'write' || route.scope === 'watch') statuses.add(403);
  if (readsBody(route)) statuses.add(413).add(415);
  return [...statuses].sort((a, b) => a - b);
}
