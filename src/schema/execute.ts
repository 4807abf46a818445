import type { ExecutionResult } from 'graphql';
import type { SchemaContext } from './context.ts';

/** A document that was parsed and validated once. */
export interface Prepared {
  readonly source: string;
}

export interface Outcome {
  data: Record<string, unknown> | undefined;
  /** What was thrown: a `HoldfastError` for the caller, anything else to be masked. */
  error?: unknown;
}

/** Parses and validates a document of our own. Throws on a mistake in it. */
export function prepare(source: string): Prepared {
  return { source };
}

/** Runs a query or a mutation in this process. JSON payloads come back as `RawJson`, enums in capitals. */
export async function run(
  _prepared: Prepared,
  _variables: Record<string, unknown>,
  _context: SchemaContext,
): Promise<Outcome> {
  throw new Error('not wired yet');
}

/** Runs a subscription in this process; ends when `return()` is called on it, or by itself. Throws what a refused start threw. */
export async function subscribeTo(
  _prepared: Prepared,
  _variables: Record<string, unknown>,
  _context: SchemaContext,
): Promise<AsyncIterableIterator<ExecutionResult>> {
  throw new Error('not wired yet');
}
