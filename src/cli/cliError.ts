import { ZodError } from 'zod';
import { HoldfastError } from '../engine/errors.ts';
import { explain as explainAny } from '../explain.ts';

/** An error that the user of the command can correct. The message suffices. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** The text to print for an error: its message if that suffices, else the stack. */
export function explain(error: unknown): string {
  if (error instanceof CliError || error instanceof HoldfastError) return error.message;
  if (error instanceof ZodError || error instanceof SyntaxError) {
    return 'the answer is not valid: the service may have another version than this command';
  }
  const isTableMissing = error instanceof Error && 'code' in error && error.code === '42P01';
  if (isTableMissing) return 'this database has no tables of Holdfast: start the service with it first';
  return explainAny(error);
}
