import type { MigrationFile } from './migrationFiles.ts';
import { MigrationError } from './migrationFiles.ts';

/** A migration as the database records it. */
export interface MigrationRecord {
  migration_name: string;
  checksum: string;
  finished: boolean;
  /** Why builds that do not know it must not start; null if they may. */
  logs: string | null;
}

export interface History {
  /** Migrations still to be applied. */
  pending: MigrationFile[];
  /** Migrations of a newer version, which this build does not know. */
  ahead: string[];
}

/**
 * M3. Compares a database's history with a build's. Throws a `MigrationError` if the build cannot
 *     work
 * with that database.
 */
export function compareHistory(files: readonly MigrationFile[], records: readonly MigrationRecord[]): History {
  const known = new Map(files.map((file) => [file.name, file]));
  const applied = new Set(records.map((record) => record.migration_name));
  for (const record of records) checkRecord(record, known.get(record.migration_name));
  const pending = files.filter((file) => !applied.has(file.name));
  const ahead = [...applied].filter((name) => !known.has(name));
  const last = files.at(-1)?.name ?? '';
  const stray = ahead.find((name) => name < last || pending.length > 0);
  if (stray !== undefined) {
    throw new MigrationError(
      `the database has the unknown migration ${stray}, and its history differs from that of this build ` +
        `(this build ends with ${last}${pending[0] ? `, and the database lacks ${pending[0].name}` : ''}). ` +
        'Start a version that has all of these migrations, or restore a backup',
    );
  }
  return { pending, ahead };
}

function checkRecord(record: MigrationRecord, file: MigrationFile | undefined): void {
  if (!record.finished) {
    throw new MigrationError(
      `migration ${record.migration_name} failed half-way in another tool. ` +
        'Repair the schema, then mark it in the table _prisma_migrations (finished_at or rolled_back_at)',
    );
  }
  if (!file && record.logs) {
    throw new MigrationError(
      `the database was migrated by a newer version, and this one cannot work with migration ${record.migration_name} ` +
        `(${record.logs}). Start the newer version, or restore a backup from before it`,
    );
  }
  if (file && file.checksum !== record.checksum) {
    throw new MigrationError(
      `migration ${record.migration_name} was edited after it was applied. ` +
        'Restore the file; changes go into a new migration',
    );
  }
}
