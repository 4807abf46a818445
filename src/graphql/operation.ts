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
import type { DocumentCaller, Documents, Mistakes } from './documents.ts';
import { refuseIntrospection } from './introspection.ts';
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

/** Reads an operation, and prepares its execution. Throws `busy` if too many documents wait. */
export async function readOperation(
  documents: Documents,
  operation: SentOperation,
  contextValue: SchemaContext,
): Promise<ReadOperation> {
  const { query, operationName, variables, sent } = operation;
  const read = await documents.read(query, callerOf(contextValue));
  if (!read.document) return read;
  const { document } = read;
  const chosen = getOperationAST(document, operationName);
  if (!chosen) return { errors: [new GraphQLError(noOperation(operationName))], isOverLimit: false };
  const refusal = read.mayIntrospect && refuseIntrospection(document, chosen, variables);
  if (refusal) return { errors: [refusal], isOverLimit: true };
  const variableValues = sent ? keepPayloads(chosen, variables, sent) : variables;
  const { hidesSuggestions: hideSuggestions } = documents;
  const args: ExecutionArgs = { schema, document, variableValues, contextValue, hideSuggestions };
  return { kind: chosen.operation, args: operationName === undefined ? args : { ...args, operationName } };
}

/** The operator is one caller, over all projects. */
const callerOf = (context: SchemaContext): DocumentCaller => ({
  name: context.principal.projectId ?? 'operator',
  isThere: () => !context.isReleased,
});

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
