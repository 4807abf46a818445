import { EmbeddedDatabaseError } from './engine/db/embedded/index.ts';
import { MigrationError } from './engine/db/migrations/index.ts';
import { DurabilityError } from './engine/db/pool/index.ts';
import { KeysFileError } from './keysFile.ts';
import { SettingsError } from './settings.ts';

/** Errors that the operator can correct: the message suffices. */
const explained = [SettingsError, EmbeddedDatabaseError, MigrationError, DurabilityError, KeysFileError];

/** Refused or lost connections, wrong credentials, an unknown database. */
const databaseCodes = /^(E[A-Z]+|28\w{3}|3D000|08\w{3}|57P03|53300)$/;

/**
 * The text to print for an error that ended a program: its message if that suffices, else the
 * stack.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (explained.some((kind) => error instanceof kind)) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  if (databaseCodes.test(code)) {
    return `cannot use the database: ${error.message || code}. Check DATABASE_URL, and that PostgreSQL runs`;
  }
  return error.stack ?? error.message;
}
