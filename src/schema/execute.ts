import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  parse,
  type SubscriptionArgs,
  validate,
} from 'graphql';
import { HoldfastError } from '../engine/errors.ts';
import { compileQuery } from './machinery/compiledQuery.ts';
import type { SchemaContext } from './machinery/context.ts';
import { isCallersMistake, unwrap } from './machinery/errors.ts';
import { unlessRefused } from './machinery/metered.ts';
import { sharedAnswers } from './machinery/sharedAnswers.ts';
import { schema } from './schema.ts';

/** A document that was parsed and validated once. */
export interface PreparedDocument {
  readonly document: DocumentNode;
  /** Executes it. */
  readonly execute: Execute;
}

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

export type Variables = Readonly<Record<string, unknown>>;

export interface Outcome {
  /**
   * Undefined when nothing was executed. JSON payloads are `RawJson`, enums are in capitals, times
   * are strings.
   */
  data: Record<string, unknown> | undefined;
  /**
   * The first error. A `HoldfastError` is meant for the caller. Any other is to be masked and
   * logged.
   */
  error?: unknown;
}

/** Parses and validates a document of our own. Throws on a mistake in it. */
export function prepare(source: string): PreparedDocument {
  const document = parse(source, { noLocation: true });
  const [mistake] = validate(schema, document);
  if (mistake) throw new Error(`mistake in a document: ${mistake.message}`, { cause: mistake });
  return { document, execute: compileQuery(schema, document) ?? execute };
}

/** Runs a query or a mutation in this process, without HTTP, parsing and validation. */
export async function run(
  { document, execute }: PreparedDocument,
  variables: Variables,
  context: SchemaContext,
): Promise<Outcome> {
  return toOutcome(await executeWithin(context, argumentsOf(document, variables, context), execute));
}

/**
 * Executes at the project's turn, within the limits of one answer. `args` must hold the same
 * context.
 */
export function executeWithin(
  context: SchemaContext,
  args: ExecutionArgs,
  executor: Execute = execute,
): Promise<ExecutionResult> {
  const { meter } = context;
  return orRefusal(
    context.atTurn(async () => {
      const result = await Promise.race([meter.abandoned(), executor(args)]);
      context.finish();
      return unlessRefused(context, result ?? {});
    }),
  );
}

/** An operation whose turn did not come has a result as well, with the refusal. */
const orRefusal = <Result>(result: Promise<Result>): Promise<Result | ExecutionResult> =>
  result.catch((error: unknown) => {
    if (!(error instanceof HoldfastError)) throw error;
    return { errors: [new GraphQLError(error.message, { originalError: error })] };
  });

/**
 * Runs a subscription in this process. Throws what refused it. The iteration throws what went wrong
 * under way; leaving it (`return()`) ends the subscription, also while it waits.
 */
export async function subscribeTo(
  { document }: PreparedDocument,
  variables: Variables,
  context: SchemaContext,
): Promise<AsyncIterableIterator<ExecutionResult>> {
  const results = await subscribeWithin(context, argumentsOf(document, variables, context));
  if (!(Symbol.asyncIterator in results)) throw causeOf(results.errors?.[0]);
  return results;
}

/**
 * Subscribes at the project's turn, within the limits of one answer per event. An event keeps its
 * memory until the next one is requested. The caller requests it once the last one has been sent,
 * so a subscription that waits holds no memory, and no turn. `args` must hold the same context.
 * Subscriptions with the same `key` share their answers, whose fields may then be `RawJson`.
 */
export async function subscribeWithin(
  context: SchemaContext,
  args: SubscriptionArgs,
  key?: string,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const events = await orRefusal(context.atTurn(async () => createSourceEventStream(args)));
  if (!(Symbol.asyncIterator in events)) return events;
  return answering(context, args, events[Symbol.asyncIterator](), key);
}

/** Not a generator: a generator that waits for an event cannot be stopped. */
function answering(
  context: SchemaContext,
  args: SubscriptionArgs,
  events: AsyncIterator<unknown>,
  key: string | undefined,
): AsyncIterableIterator<ExecutionResult> {
  const answers = sharedAnswers(context.engine);
  const leave = key === undefined ? () => undefined : answers.join(key);
  const end = { done: true, value: undefined } as const;
  return {
    next: async () => {
      context.renew();
      try {
        const { done, value: rootValue } = await events.next();
        if (!done) {
          const value = await answers.answer(key, rootValue, async () => execute({ ...args, rootValue }));
          context.finish();
          return { done: false, value };
        }
      } catch (error) {
        leave();
        throw error;
      }
      leave();
      return end;
    },
    return: async () => {
      leave();
      await events.return?.();
      return end;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const argumentsOf = (document: DocumentNode, variables: Variables, contextValue: SchemaContext): SubscriptionArgs => ({
  schema,
  document,
  variableValues: variables,
  contextValue,
});

/**
 * A variable that does not fit its type is the caller's mistake. Such a value of our own is a
 * fault.
 */
function causeOf(error: unknown): unknown {
  const unwrapped = unwrap(error);
  const { cause, located } = unwrapped;
  if (isCallersMistake(unwrapped)) return new HoldfastError('invalid', (located ?? unwrapped.cause).message);
  return cause instanceof GraphQLError ? new Error(cause.message, { cause: located }) : cause;
}

function toOutcome({ data, errors }: ExecutionResult): Outcome {
  const [error] = errors ?? [];
  return error ? { data: data ?? undefined, error: causeOf(error) } : { data: data ?? undefined };
}
