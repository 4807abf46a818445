import type { EngineContext } from '../../engine/context.ts';
import { type JsonDocument, readJson } from '../../engine/json/index.ts';
import type { Principal } from '../../engine/keys/index.ts';
import type { Metrics } from '../health/metrics.ts';
import type { Readiness } from '../health/readiness.ts';
import type { Answer } from './answer.ts';
import { type Fields, type FieldValues, readFields } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';
import { type Parameters, type ParameterValues, readParameters } from './parameters.ts';
import type { Query } from './query.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * Who may call (5): anybody; any key, for its project; every key but a public one, for its project;
 * a secret or the operator's key, whatever the project.
 */
export type Scope = 'none' | 'read' | 'write' | 'watch';

/** What OpenAPI groups routes by. */
export type Group = 'workflows' | 'events' | 'runs' | 'approvals' | 'runners' | 'service';

/**
 * Statuses that a route answers beyond those that follow from its scope, its parameters and its
 * body.
 */
export type FailureStatus = 404 | 409 | 426 | 501 | 502 | 503;

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
}

/** A request as a route reads it. */
export interface RouteRequest {
  path: Record<string, string>;
  query: Query;
  /** Undefined where none was sent, or the route takes none. */
  body: JsonDocument | undefined;
}

/** What most routes are: a GraphQL document, run in this process. */
export interface DocumentRoute extends Declaration {
  kind: 'document';
  document: string;
  variables(request: RouteRequest): Record<string, unknown>;
  success: DocumentSuccess;
}

export interface DocumentSuccess {
  status: 200 | 201 | 202 | 204;
  /** Where in the document's answer the body stands. */
  at: readonly string[];
  /** The text of the `404` when nothing stands there. */
  missing?: string;
  /**
   * Where the page info of a keyset page stands; its end is answered in `X-Next-Cursor` when more
   * follows.
   */
  page?: readonly string[];
  /** Answers all pages in one body: the document takes where each begins as `$after`. */
  whole?: true;
  /** Where the position stands after which more follows; it is answered in `X-Next-From`. */
  nextFrom?: readonly string[];
}

/** A live stream: a subscription, told as Server-Sent Events (6.3). */
export interface StreamRoute extends Declaration {
  kind: 'stream';
  document: string;
  /**
   * `lastEventId` is the header that a browser sends when it reconnects; it wins over a parameter
   * of the URL.
   */
  variables(request: RouteRequest, lastEventId: string | undefined): Record<string, unknown>;
  /** The field of the subscription. */
  at: string;
  /** The `event:` line: a member of the body, or a fixed word. */
  event: { member: string } | { word: string };
  /** The member whose value is the `id:` line. */
  id?: string;
  /** Members that every body begins with. */
  constant?: Readonly<Record<string, string>>;
  /**
   * Whether all readers with these variables are told the same from now on: then one subscription
   * serves them.
   */
  isShared?(variables: Record<string, unknown>): boolean;
  /** Asked before the stream opens. */
  preflight?: Preflight;
}

export interface Preflight {
  document: string;
  variables(request: RouteRequest): Record<string, unknown>;
  at: readonly string[];
  missing: string;
  /** Whether the stream will end by itself: then an empty one is answered `204`. */
  isFinite(found: unknown): boolean;
}

/** An exception: no GraphQL document stands behind it. `exceptions.ts` lists them all. */
export interface ExceptionRoute extends Declaration {
  kind: 'exception';
  success: { status: 200; type: string; schema: JsonSchema } | { status: 101 };
  answer(call: Call, service: AppParts): Promise<Answer>;
}

export interface Call extends RouteRequest {
  engine: EngineContext;
  /** Undefined where the route's scope is `none`. */
  principal: Principal | undefined;
}

/** What exceptions may ask of the application around them. */
export interface AppParts {
  readiness: Readiness;
  metrics: Metrics;
  /** The text of `openapi.json`. */
  openApi: string;
}

/** A call whose key was checked, and that acts in a project. */
export interface KeyedCall extends Call {
  principal: Principal;
}

export type Route = DocumentRoute | StreamRoute | ExceptionRoute;

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

/** Declares a route that runs a document. */
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

type StreamParts = Pick<StreamRoute, 'document' | 'at' | 'event' | 'id' | 'constant' | 'isShared' | 'preflight'>;

/** Declares a route that streams a subscription. */
export function streamRoute<const P extends string, Q extends Parameters>(
  declared: Omit<Typed<P, Q, Fields>, 'method' | 'scope' | 'body' | 'variables'> &
    StreamParts & { variables?(read: Read<P, Q, Fields>, lastEventId: string | undefined): Record<string, unknown> },
): StreamRoute {
  const route: Typed<P, Q, Fields> = { ...declared, method: 'GET', scope: 'read', variables: () => ({}) };
  const { document, at, event, id, constant, isShared, preflight } = declared;
  return {
    ...base(route),
    kind: 'stream',
    document,
    at,
    event,
    ...(id !== undefined && { id }),
    ...(constant && { constant }),
    ...(isShared && { isShared }),
    ...(preflight && { preflight }),
    variables: (request, lastEventId) => declared.variables?.(readRequest(route, request), lastEventId) ?? {},
  };
}

/** Declares a route that is no document. */
export function exceptionRoute(
  declared: Pick<ExceptionRoute, 'method' | 'path' | 'scope' | 'group' | 'summary' | 'success' | 'answer'> & {
    body?: Body<Fields>;
    failures?: readonly FailureStatus[];
  },
): ExceptionRoute {
  return { ...base(declared), kind: 'exception', success: declared.success, answer: declared.answer };
}

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
    body: readFields(body?.fields, request.body ?? noBody),
  };
}

/**
 * Whether a request may carry a body: one that cannot be read is refused, also where the route asks
 * for nothing in it.
 */
export const readsBody = ({ method }: Route): boolean => method !== 'GET';

/**
 * Every status that a route can answer (7): what OpenAPI says, and what tests hold every answer
 * against.
 */
export function statusesOf(route: Route): number[] {
  // 400: the query string of any request may be unreadable.
  const statuses = new Set<number>([...route.failures, 400, 500]);
  statuses.add(route.kind === 'stream' ? 200 : route.success.status);
  if (route.kind === 'stream') statuses.add(503);
  // A large answer may find no room.
  if (route.kind === 'document' && route.method === 'GET') statuses.add(503);
  if (route.kind === 'stream' && route.preflight) statuses.add(204);
  // 404: a platform or operator key may name a project that does not exist.
  if (route.scope !== 'none') statuses.add(401).add(404);
  if (route.scope === 'write' || route.scope === 'watch') statuses.add(403);
  if (readsBody(route)) statuses.add(413).add(415);
  return [...statuses].sort((a, b) => a - b);
}
