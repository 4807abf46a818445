import { GraphQLError } from 'graphql';
import { type ErrorKind, internalError } from '../../engine/errors.ts';
import { shownError } from '../../engine/outages.ts';

/** The values of `extensions.code` in GraphQL errors. */
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

export const errorCodes: Readonly<Record<ErrorKind, ErrorCode>> = {
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
 * An error as the caller may see it. Errors of the engine keep their text. Mistakes in the document
 * or its variables keep GraphQL's text. An outage of the database becomes `BUSY`, and all others
 * `internal error`: these go to `onMasked`.
 */
export function toGraphqlError(error: unknown, onMasked: (error: unknown) => void): GraphQLError {
  const unwrapped = unwrap(error);
  const { cause, located } = unwrapped;
  const location = located && {
    nodes: located.nodes,
    source: located.source,
    positions: located.positions,
    path: located.path,
  };
  const shown = shownError(cause);
  if (shown) {
    if (shown !== cause) onMasked(cause);
    const extensions = { ...located?.extensions, code: errorCodes[shown.kind] };
    return new GraphQLError(shown.message, { ...location, extensions });
  }
  if (isCallersMistake(unwrapped)) {
    // The outermost error names the variable.
    const message = shortened((located ?? unwrapped.cause).message);
    const extensions = { ...unwrapped.cause.extensions, code: 'BAD_USER_INPUT' };
    return new GraphQLError(message, { ...location, extensions });
  }
  onMasked(cause);
  return new GraphQLError(internalError, { ...location, extensions: { code: 'INTERNAL' } });
}

const longWord = /([^\s"'`]{100})[^\s"'`]+/gu;
const maxMessageLength = 1_000;

/** GraphQL's texts repeat names and values of the caller, of any length. */
function shortened(message: string): string {
  const text = message.replace(longWord, '$1…');
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

export interface Unwrapped {
  /** The original error. */
  cause: unknown;
  /** The error with the position in the document. */
  located: GraphQLError | undefined;
}

/** Whether GraphQL found a mistake in a document or its variables, not in a value of a resolver. */
export const isCallersMistake = (error: Unwrapped): error is Unwrapped & { cause: GraphQLError } =>
  error.cause instanceof GraphQLError && (error.cause.nodes !== undefined || error.located?.path === undefined);

/** Removes the layers that GraphQL wraps around an error. */
export function unwrap(error: unknown): Unwrapped {
  const located = error instanceof GraphQLError ? error : undefined;
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return { cause, located };
}
