// Applies Prisma's migrations without Prisma's engine.
//
// Owns: the table `_prisma_migrations`, in Prisma's shape, so that Prisma's own tools see a clean
// history.
//
// Invariants:
// M1. At most one process migrates, under the advisory lock that Prisma uses too.
// M2. A script and its record commit together or not at all. A failed migration leaves no trace.
// M3. A history that differs from this build's is refused before anything changes. If it has
//     further migrations, a newer version made them. This build works with that schema, unless one
//     of them says otherwise.
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Logger } from 'pino';
import { keepAliveMs } from '../index.ts';
import { applyMigration } from './applyMigration.ts';
import { breaksOlderBuilds, MigrationError, type MigrationFile, readMigrations } from './migrationFiles.ts';
import { compareHistory, type MigrationRecord } from './migrationHistory.ts';

const lockKey = 72707369;

export interface MigrateOptions {
  url: string;
  /** The folder of the migrations; by default that of the project. */
  directory?: string | undefined;
  log?: Logger | undefined;
  /**
   * How long to wait for another migrating process, and for the locks of running services, in ms.
   */
  lockWaitMs?: number | undefined;
}

/** The project's folder of migrations, seen from the sources or from the build. */
export const migrationsDirectory = (): string => {
  const depth = import.meta.url.includes('/dist/src/') ? '../../../../../' : '../../../../';
  return fileURLToPath(new URL(`${depth}prisma/migrations`, import.meta.url));
};

/**
 * Applies the pending migrations, and returns their names. Many processes may call it at once.
 * Throws a `MigrationError` if a script fails (with its name and line), or if the history does not
 * fit.
 */
export async function migrateDatabase(options: MigrateOptions): Promise<string[]> {
  const files = await readMigrations(options.directory ?? migrationsDirectory());
  const waitMs = options.lockWaitMs ?? 300_000;
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'holdfast migrate',
    // A script may take any time, so there is no limit for statements.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  client.on('error', (error) => options.log?.warn({ err: error }, 'database connection lost while migrating'));
  await client.connect();
  try {
    await lock(client, waitMs);
    const records = await readRecords(client);
    const { pending, ahead } = compareHistory(files, records);
    await markBreaking(client, files, records);
    if (ahead.length > 0) {
      options.log?.warn({ migrations: ahead }, 'a newer version migrated this database: continuing with its schema');
    }
    for (const file of pending) {
      await applyMigration(client, file, { log: options.log, waitMs });
      options.log?.info({ migration: file.name }, 'migration applied');
    }
    return pending.map((file) => file.name);
  } finally {
    // The end of the session releases the lock.
    await client.end();
  }
}

/**
 * Whether every migration of this build is recorded. For readiness checks: one cheap read, no lock.
 */
export async function isMigrated(db: Pick<pg.Pool, 'query'>, directory?: string): Promise<boolean> {
  const files = await readMigrations(directory ?? migrationsDirectory());
  const { rows } = await db.query<MigrationRecord>(selectRecords);
  const finished = new Set(rows.filter((row) => row.finished).map((row) => row.migration_name));
  return files.every((file) => finished.has(file.name));
}

/** M1 */
async function lock(client: pg.Client, waitMs: number): Promise<void> {
  await client.query(`set lock_timeout = ${Math.floor(waitMs)}`);
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [lockKey]);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '55P03') throw error;
    throw new MigrationError(
      `another process has been migrating this database for over ${waitMs} ms; wait for it, or end its session`,
    );
  }
  await client.query('set lock_timeout = default');
}

const createRecords = `
  create table if not exists _prisma_migrations (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

const selectRecords = `
  select migration_name, checksum, finished_at is not null as finished, logs
  from _prisma_migrations where rolled_back_at is null order by started_at, migration_name`;

async function readRecords(client: pg.Client): Promise<MigrationRecord[]> {
  await client.query(createRecords);
  return (await client.query<MigrationRecord>(selectRecords)).rows;
}

/** Prisma's own tools do not record why a migration breaks older builds. */
async function markBreaking(client: pg.Client, files: readonly MigrationFile[], records: readonly MigrationRecord[]) {
  const unmarked = new Set(records.filter(({ logs }) => !logs).map((record) => record.migration_name));
  for (const { name, script } of files) {
    const why = breaksOlderBuilds(script);
    if (why === null || !unmarked.has(name)) continue;
    await client.query('update _prisma_migrations set logs = $2 where migration_name = $1', [name, why]);
  }
}
