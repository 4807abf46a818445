import { ZodError } from 'zod';
import { HoldfastError } from '../engine/errors.ts';
import { explain as explainAny } from '../explain.ts';

/** Something that whoever typed the command can put right. The message says it all. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** What to print for an error: its message where that is enough, else all that is known. */
export function explain(error: unknown): string {
  if (error instanceof CliError || error instanceof HoldfastError) return error.message;
  if (error instanceof ZodError || error instanceof SyntaxError) {
    return 'the answer cannot be understood: no Holdfast of this version has sent it';
  }
  const isTableMissing = error instanceof Error && 'code' in error && error.code === '42P01';
  if (isTableMissing) return 'this database holds no Holdfast: start the service on it first';
  return explainAny(error);
}
