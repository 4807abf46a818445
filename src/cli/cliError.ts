import { EmbeddedDatabaseError } from '../engine/db/embedded/index.ts';
import { MigrationError } from '../engine/db/migrate.ts';
import { HoldfastError } from '../engine/errors.ts';
import { KeysFileError } from '../keysFile.ts';
import { SettingsError } from '../settings.ts';

/** Something that whoever typed the command can put right. The message says it all. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

const explained = [CliError, HoldfastError, SettingsError, EmbeddedDatabaseError, MigrationError, KeysFileError];

/** What to print for an error: its message where that is enough, else all that is known. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (explained.some((kind) => error instanceof kind)) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  if (code === '42P01') return 'this database holds no Holdfast: start the service on it first';
  // Refused or lost connections, wrong credentials, an unknown database.
  if (/^(E[A-Z]+|28\w{3}|3D000|08\w{3}|57P03|53300)$/.test(code)) {
    return `cannot use the database: ${error.message || code}. Check DATABASE_URL, and that PostgreSQL runs`;
  }
  return error.stack ?? error.message;
}
