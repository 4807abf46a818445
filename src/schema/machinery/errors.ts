import { GraphQLError } from 'graphql';
import { type ErrorKind, HoldfastError, internalError } from '../../engine/errors.ts';

/** `extensions.code` of every error that leaves the GraphQL surface. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'NOT_CONFIGURED'
  | 'NO_RUNNER'
  | 'BUSY'
  | 'INTERNAL';

const codes: Readonly<Record<ErrorKind, ErrorCode>> = {
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  suspended: 'FORBIDDEN',
  invalid: 'BAD_USER_INPUT',
  notFound: 'NOT_FOUND',
  conflict: 'CONFLICT',
  noRunner: 'NO_RUNNER',
  notConfigured: 'NOT_CONFIGURED',
  busy: 'BUSY',
};

/**
 * An error as the caller may see it. Errors of the engine keep their text; mistakes in the document
 * or its variables keep GraphQL's; all else becomes `internal error` and goes to `onMasked`
 * instead.
 */
export function toGraphqlError(error: unknown, onMasked: (error: unknown) => void): GraphQLError {
  const unwrapped = unwrap(error);
  const { cause, located } = unwrapped;
  const place = located && {
    nodes: located.nodes,
    source: located.source,
    positions: located.positions,
    path: located.path,
  };
  if (cause instanceof HoldfastError) {
    return new GraphQLError(cause.message, { ...place, extensions: { code: codes[cause.kind] } });
  }
  if (isCallersMistake(unwrapped)) {
    // The outermost says which variable it is about.
    const { message } = located ?? unwrapped.cause;
    const extensions = { ...unwrapped.cause.extensions, code: 'BAD_USER_INPUT' };
    return new GraphQLError(message, { ...place, extensions });
  }
  onMasked(cause);
  return new GraphQLError(internalError, { ...place, extensions: { code: 'INTERNAL' } });
}

export interface Unwrapped {
  /** What was thrown at the bottom. */
  cause: unknown;
  /** The error that says where. */
  located: GraphQLError | undefined;
}

/**
 * GraphQL's own complaint about a document or its values; not the one about a value that a resolver
 * returned.
 */
export const isCallersMistake = (error: Unwrapped): error is Unwrapped & { cause: GraphQLError } =>
  error.cause instanceof GraphQLError && (error.cause.nodes !== undefined || error.located?.path === undefined);

/** Takes off what GraphQL wrapped around an error, once per layer. */
export function unwrap(error: unknown): Unwrapped {
  const located = error instanceof GraphQLError ? error : undefined;
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return { cause, located };
}
