import type { IncomingMessage } from 'node:http';
import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  OperationTypeNode,
} from 'graphql';
import { type Context, makeServer, type Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { EngineContext } from '../engine/context.ts';
import { HoldfastError } from '../engine/errors.ts';
import { readJson } from '../engine/json/index.ts';
import { authenticate, type Credentials, keyBounds, type Principal, watchKey } from '../engine/keys/index.ts';
import { shownError } from '../engine/outages.ts';
import { credentialsOf } from '../http/index.ts';
import { createSchemaContext, SchemaContext, subscribeWithin, unlessRefused } from '../schema/index.ts';
import type { Documents } from './documents.ts';
import { executeRemembered } from './introspection.ts';
import { maskErrors, readOperation, type SentOperation } from './operation.ts';
import { shareKeyOf } from './shareKey.ts';
import { replaceRaw } from './spliceRaw.ts';

/** The state of one socket. */
export interface SocketExtra {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  /** The caller, once the first message was accepted. */
  principal: Principal | undefined;
  /** The text of the current message: the library's callbacks get only the parsed message. */
  received: string;
  /** Release what the socket holds elsewhere. */
  readonly releases: (() => void)[];
  /** Resolves when the documents of earlier messages have been read: operations begin in order. */
  reading: Promise<unknown>;
  /** The operations in progress, by the object that was sent. They are released at their end. */
  readonly operations: Map<object, OpenOperation>;
}

interface OpenOperation {
  id: string;
  /** Undefined until its document has been read. */
  kind: OperationTypeNode | undefined;
  context: SchemaContext;
}

type SocketContext = Context<Record<string, unknown> | undefined, SocketExtra>;

/** Close codes beyond the protocol's own. */
export const closeCodes = {
  unauthenticated: 4401,
  forbidden: 4403,
  tooMany: 4429,
  restarting: 1012,
  busy: 1013,
} as const;

/** Queries and mutations that one socket may have in progress. */
const maxOthers = 100;

interface ProtocolOptions {
  /** Subscriptions that one socket may have open at once. */
  maxSubscriptions: number;
  documents: Documents;
  /** How long the first message may take, in ms. */
  initMs: number;
}

/** The protocol `graphql-transport-ws` on the schema: connections, operations and errors. */
export const createProtocol = (engine: EngineContext, options: ProtocolOptions): Server<SocketExtra> =>
  makeServer<Record<string, unknown> | undefined, SocketExtra>({
    connectionInitWaitTimeout: options.initMs,
    jsonMessageReplacer: replaceRaw,
    onConnect: (context) => admit(engine, context),
    onSubscribe: (context, id, sent) => beginOperation(engine, options, context, { id, sent }),
    execute: (args) => executeInTurn(args),
    // The library asks for the next event when the last one has been sent.
    subscribe: (args) =>
      subscribeWithin(schemaContextOf(args), args, shareKeyOf(args, schemaContextOf(args).principal)),
    onNext: (_context, _id, _payload, args, answer) => {
      const result = unlessRefused(schemaContextOf(args), answer);
      return result.errors && { ...result, errors: show(engine, result.errors) };
    },
    onError: (_context, _id, _payload, errors) => show(engine, errors),
    onComplete: ({ extra }, _id, sent) => releaseOperation(extra, sent),
    onClose: ({ extra }) => release(extra),
  });

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Executes an operation when its turn comes among the requests of its key. */
async function executeInTurn(args: ExecutionArgs): Promise<ExecutionResult> {
  const context = schemaContextOf(args);
  try {
    await context.turn?.begun;
  } catch (error) {
    // Masked when it is sent, like other errors.
    return { errors: [new GraphQLError('not begun', { originalError: asError(error) })] };
  }
  return executeRemembered(context, args);
}

function schemaContextOf({ contextValue }: ExecutionArgs): SchemaContext {
  if (contextValue instanceof SchemaContext) return contextValue;
  throw new TypeError('an operation without a context');
}

const show = (engine: EngineContext, errors: readonly unknown[]): GraphQLFormattedError[] =>
  maskErrors(engine, errors).map((error) => error.toJSON());

/** Accepts a caller whose first message or upgrade has a valid key; closes the socket of others. */
async function admit(engine: EngineContext, { extra, connectionParams }: SocketContext): Promise<boolean> {
  try {
    const isGone = (): boolean => extra.socket.readyState !== extra.socket.OPEN;
    const principal = await authenticate(engine, credentials(extra.request, connectionParams), isGone);
    const { permits } = keyBounds(engine);
    const leave = permits.take(principal);
    if (!leave) return close(extra, closeCodes.tooMany, permits.refusal);
    extra.releases.push(
      leave,
      watchKey(engine, principal, () => revoke(extra)),
    );
    extra.principal = principal;
    if (extra.socket.readyState !== extra.socket.OPEN) release(extra);
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && error.kind === 'unauthenticated') {
      return close(extra, closeCodes.unauthenticated, error.message);
    }
    const [shown] = maskErrors(engine, [error]);
    const code = shownError(error)?.kind === 'busy' ? closeCodes.busy : closeCodes.forbidden;
    return close(extra, code, shown?.message ?? 'Forbidden');
  }
}

/** How long the peer of an ended key may take to close its socket, in ms. */
const revokedGraceMs = 200;

/** A peer that does not read would keep the socket open. */
function revoke(extra: SocketExtra): void {
  close(extra, closeCodes.unauthenticated, 'the API key has ended');
  setTimeout(() => extra.socket.terminate(), revokedGraceMs).unref();
}

function close({ socket }: SocketExtra, code: number, reason: string): false {
  socket.close(code, reason);
  return false;
}

/** Releases what a socket holds, once. */
export function release(extra: SocketExtra): void {
  for (const each of extra.releases.splice(0)) each();
  for (const sent of [...extra.operations.keys()]) releaseOperation(extra, sent);
}

/** Releases also an operation that holds nothing yet: a part of it may still ask for memory. */
function releaseOperation({ operations }: SocketExtra, sent: object): void {
  const context = operations.get(sent)?.context;
  context?.release();
  context?.turn?.end();
  operations.delete(sent);
}

/** The credentials in the first message; those that it lacks come from the upgrade's headers. */
function credentials(request: IncomingMessage, params: Readonly<Record<string, unknown>> | undefined): Credentials {
  const named = new Map(Object.entries(params ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const text = (name: string): string | undefined => {
    const value = named.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  const fromHeaders = credentialsOf(request);
  return {
    authorization: text('authorization') ?? fromHeaders.authorization,
    project: text('x-service-project') ?? fromHeaders.project,
    actor: text('x-service-actor') ?? fromHeaders.actor,
  };
}

async function beginOperation(
  engine: EngineContext,
  { maxSubscriptions, documents }: ProtocolOptions,
  context: SocketContext,
  { id, sent }: { id: string; sent: object },
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { extra } = context;
  if (!extra.principal) return [new GraphQLError('the connection was not accepted')];
  if (countWaiting(extra) >= maxSubscriptions + maxOthers) return [new GraphQLError(tooManyWait)];
  const { principal } = extra;
  const schemaContext = createSchemaContext({ engine, principal, via: 'graphql' });
  const open: OpenOperation = { id, kind: undefined, context: schemaContext };
  extra.operations.set(sent, open);
  try {
    // Another message may arrive before the document is read.
    const message = readMessage(engine, extra.received);
    const reading = extra.reading.then(() => readOperation(documents, message, schemaContext));
    extra.reading = reading.catch(() => undefined);
    const operation = await reading;
    if (operation.errors) return operation.errors;
    // The socket has closed meanwhile: nobody would end the operation's turn.
    if (!extra.operations.has(sent)) return [new GraphQLError('the socket has closed')];
    const { kind, args } = operation;
    const isSubscription = kind === OperationTypeNode.SUBSCRIPTION;
    const max = isSubscription ? maxSubscriptions : maxOthers;
    if (countOpen(context, { isSubscription, besides: id }) >= max) {
      const what = isSubscription ? 'subscriptions' : 'queries and mutations';
      return [new GraphQLError(`a socket may have at most ${max} ${what} at once`)];
    }
    // A subscription counts with its socket.
    if (!isSubscription) schemaContext.turn = keyBounds(engine).turns.open(principal);
    open.kind = kind;
    return args;
  } catch (error) {
    return maskErrors(engine, [error]);
  } finally {
    if (open.kind === undefined) releaseOperation(extra, sent);
  }
}

const tooManyWait = 'too many documents of this socket wait to be read';

const countWaiting = ({ operations }: SocketExtra): number =>
  [...operations.values()].filter(({ kind }) => kind === undefined).length;

/**
 * Counts only operations that the protocol has open. An operation that the caller has completed may
 * take a moment to end, even if its id is used again.
 */
function countOpen(
  { extra, subscriptions }: SocketContext,
  { isSubscription, besides }: { isSubscription: boolean; besides: string },
): number {
  const ids = new Set<string>();
  for (const { id, kind } of extra.operations.values())
    if (kind !== undefined && (kind === OperationTypeNode.SUBSCRIPTION) === isSubscription && id in subscriptions)
      ids.add(id);
  ids.delete(besides);
  return ids.size;
}

/** Reads the text of a message again, to keep its numbers. The library has checked its shape. */
function readMessage(engine: EngineContext, text: string): SentOperation {
  const json = readJson(text, { maxDepth: engine.settings.limits.jsonDepth });
  const { payload } = json.value as { payload: Partial<SentOperation> };
  const { query = '', operationName, variables } = payload;
  return {
    query,
    operationName: operationName ?? undefined,
    variables: variables ?? {},
    sent: variables ? { json, path: ['payload', 'variables'] } : undefined,
  };
}
