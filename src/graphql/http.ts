import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { EngineContext } from '../engine/context.ts';
import { busy, forbidden, HoldfastError, invalid } from '../engine/errors.ts';
import { stringifyRaw } from '../engine/json/index.ts';
import { admitRequest, type KeyTurn, type Principal } from '../engine/keys/index.ts';
import { logHidden, shownError } from '../engine/outages.ts';
import { admitTicket } from '../engine/tickets/index.ts';
import {
  type BodyRoom,
  credentialsOf,
  cutWhenStuck,
  foreignOrigin,
  HttpError,
  Origins,
  presenceOf,
  RequestAborted,
  readText,
  statusOfKind,
  whenOver,
} from '../http/index.ts';
import { createSchemaContext, type SchemaContext, schema, toGraphqlError } from '../schema/index.ts';
import type { Documents } from './documents.ts';
import { sendEditor, wantsEditor } from './editor.ts';
import { acceptsStream, type EventStreams, StreamedSubscriptions, ticketOf } from './eventStreams.ts';
import { executeRemembered } from './introspection.ts';
import { maskResult, readOperation } from './operation.ts';
import { sentVariables, useRequestBody } from './requestBody.ts';

export type GraphqlHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface ServerContext {
  principal: Principal;
  turn: KeyTurn;
  /** The request's body. */
  body: string;
  response: ServerResponse;
}

/**
 * Serves `/graphql`: queries and mutations by `POST`, queries by `GET`, subscriptions by both as
 * Server-Sent Events, and the editor for browsers. Payloads keep their text in both directions.
 * Never rejects.
 */
export interface GraphqlHandlerOptions {
  documents: Documents;
  /** The memory for bodies that are arriving. REST shares it. */
  bodies: BodyRoom;
  /** Default: the service's own origin. */
  origins?: Origins | undefined;
  /** For subscriptions as Server-Sent Events. Default: they use the socket only. */
  streams?: EventStreams | undefined;
}

export function createGraphqlHandler(
  engine: EngineContext,
  { documents, bodies, origins = new Origins(), streams }: GraphqlHandlerOptions,
): GraphqlHandler {
  const yoga = createYoga<ServerContext>({
    schema,
    // Yoga's page loads scripts from other servers: see `editor.ts`.
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    logging: false,
    // The body is read before Yoga sees the request.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    maskedErrors: { maskError: (error) => mask(engine, error) },
    plugins: [useRequestBody(engine.settings.limits.jsonDepth), useOwnExecution(engine, documents)],
  });
  const subscriptions = streams && new StreamedSubscriptions(engine, documents, streams);
  return async (request, response) => {
    if (wantsEditor(request)) return sendEditor(request, response);
    try {
      if (origins.isForeign(request)) throw forbidden(foreignOrigin);
      const ticket = subscriptions && ticketOf(request);
      const caller = presenceOf(response);
      const { principal, turn } = await (ticket
        ? admitTicket(engine, ticket, caller)
        : admitRequest(engine, credentialsOf(request), caller));
      if (request.method === 'POST' && !isJson(request)) throw notJson();
      const body = request.method === 'POST' ? await readText(request, bodies) : '';
      if (subscriptions && acceptsStream(request)) {
        if (await subscriptions.serve({ request, response, principal, turn, body })) return;
      }
      if (ticket) throw forbidden('a stream ticket opens valid subscriptions only');
      offerJson(request);
      cutWhenStuck(response);
      await yoga.handle(request, response, { principal, turn, body, response });
    } catch (error) {
      refuse(engine, response, error);
    }
  };
}

/** Pages of other sites can send other types without asking. */
const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json\s*(;|$)/i.test(headers['content-type']?.trim() ?? '');

const notJson = (): HttpError => new HttpError(415, 'the content type must be application/json');

const jsonRange = /^\s*((application|\*)\/\*|application\/(graphql-response\+)?json)\s*(;|$)/i;

/**
 * Makes Yoga answer JSON to every caller. A caller that does not accept JSON would get 406
 * without a text. A caller that accepts Server-Sent Events would get an event, which a line break
 * in a payload breaks. Subscriptions of such a caller do not come this far.
 */
function offerJson({ headers }: IncomingMessage): void {
  const ranges = headers.accept?.split(',').filter((range) => jsonRange.test(range)) ?? [];
  if (ranges.length > 0) headers.accept = ranges.join(',');
  else delete headers.accept;
}

const mask = (engine: EngineContext, error: unknown): GraphQLError =>
  toGraphqlError(error, (masked) => logHidden(engine, masked, 'internal error in a GraphQL request'));

/** Runs operations as the other surfaces do, with cached documents and our own errors. */
function useOwnExecution(engine: EngineContext, documents: Documents): Plugin<object, ServerContext> {
  return {
    onParams({ request, params, context, setParamsHandler }) {
      const { principal, response, turn } = context;
      const schemaContext = createSchemaContext({ engine, principal, turn, via: 'graphql' });
      whenOver(response, () => schemaContext.release());
      setParamsHandler(async () => {
        const result = await perform(documents, request.method, params, schemaContext).catch(resultOf);
        return Object.assign(maskResult(engine, result), { stringify: stringifyRaw });
      });
    },
  };
}

async function perform(
  documents: Documents,
  method: string,
  params: GraphQLParams,
  context: SchemaContext,
): Promise<ExecutionResult> {
  const { query = '', operationName, variables } = params;
  const sent = variables && sentVariables(params);
  const operation = await readOperation(
    documents,
    { query, operationName: operationName || undefined, variables: variables ?? {}, sent },
    context,
  );
  if (operation.errors) {
    const http = { status: 400, spec: !operation.isOverLimit };
    return { errors: operation.errors.map((error) => withStatus(error, http)) };
  }
  if (operation.kind === OperationTypeNode.SUBSCRIPTION) {
    const message =
      'subscriptions run over a WebSocket (graphql-transport-ws), or as events (Accept: text/event-stream), on this path';
    return { errors: [withStatus(new GraphQLError(message), { status: 400 })] };
  }
  if (operation.kind === OperationTypeNode.MUTATION && method !== 'POST') {
    const http = { status: 405, headers: { Allow: 'POST' } };
    return { errors: [withStatus(new GraphQLError('a mutation needs POST'), http)] };
  }
  return executeRemembered(context, operation.args);
}

/** The answer to an operation that was refused before it began. */
function resultOf(error: unknown): ExecutionResult {
  if (!(error instanceof HoldfastError)) throw error;
  const { status, headers } = refusal(error);
  const extensions = { http: { status, headers } };
  return { errors: [new GraphQLError(error.message, { originalError: error, extensions })] };
}

interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Only for callers that accept `application/graphql-response+json`. */
  spec?: boolean;
}

const withStatus = (error: GraphQLError, http: HttpAnswer): GraphQLError => {
  const { message, nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...error.extensions, http } });
};

/** Answers a caller that was refused before its document was read. */
function refuse(engine: EngineContext, response: ServerResponse, error: unknown): void {
  if (error instanceof RequestAborted || response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers } = refusal(error);
  const shown = mask(engine, error instanceof HttpError ? engineError(error) : error);
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ errors: [shown] }));
}

const engineError = ({ status, message }: HttpError): HoldfastError =>
  status === 503 ? busy(message) : invalid(message);

function refusal(error: unknown): { status: number; headers: Record<string, string> } {
  if (error instanceof HttpError) return { status: error.status, headers: { ...error.headers } };
  const shown = shownError(error);
  if (!shown) return { status: 500, headers: {} };
  if (shown.kind === 'unauthenticated') return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  return { status: statusOfKind[shown.kind], headers: shown.kind === 'busy' ? { 'retry-after': '1' } : {} };
}
