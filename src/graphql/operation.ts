import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  type OperationTypeNode,
} from 'graphql';
import type { EngineContext } from '../engine/context.ts';
import { logHidden } from '../engine/outages.ts';
import type { SchemaContext } from '../schema/index.ts';
import { schema, toGraphqlError } from '../schema/index.ts';
import type { Documents, Mistakes } from './documents.ts';
import { keepPayloads, type SentVariables } from './variables.ts';

/** An operation as a caller sent it, over HTTP or a socket. */
export interface SentOperation {
  query: string;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  /** The text of the variables; absent where there are none. */
  sent: SentVariables | undefined;
}

/** An operation that may run, or its mistakes. */
export type ReadOperation = { kind: OperationTypeNode; args: ExecutionArgs; errors?: undefined } | Mistakes;

/** Reads an operation, and prepares its execution. */
export function readOperation(
  documents: Documents,
  operation: SentOperation,
  contextValue: SchemaContext,
): ReadOperation {
  const { query, operationName, variables, sent } = operation;
  const read = documents.read(query);
  if (!read.document) return read;
  const { document } = read;
  const chosen = getOperationAST(document, operationName);
  if (!chosen) return { errors: [new GraphQLError(noOperation(operationName))], isOverLimit: false };
  const variableValues = sent ? keepPayloads(chosen, variables, sent) : variables;
  const args: ExecutionArgs = { schema, document, variableValues, contextValue };
  return { kind: chosen.operation, args: operationName === undefined ? args : { ...args, operationName } };
}

const noOperation = (operationName: unknown): string =>
  operationName === undefined
    ? 'the document holds several operations: name one by operationName'
    : 'operationName names no operation of the document';

/** Errors as the caller may see them. Masked errors go to the log. */
export const maskErrors = (engine: EngineContext, errors: readonly unknown[]): GraphQLError[] =>
  errors.map((error) =>
    toGraphqlError(error, (masked) => logHidden(engine, masked, 'internal error in a GraphQL operation')),
  );

/** A result as the caller may see it. */
export const maskResult = (engine: EngineContext, result: ExecutionResult): ExecutionResult =>
  result.errors ? { ...result, errors: maskErrors(engine, result.errors) } : result;
