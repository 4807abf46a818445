import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { backoffMs, failPoint } from '../index.ts';
import { breaksOlderBuilds, failedLine, MigrationError, type MigrationFile } from './migrationFiles.ts';

const insertRecord = `
  insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count, logs)
  values (gen_random_uuid()::text, $1, $2, transaction_timestamp(), clock_timestamp(), 1, $3)`;

/**
 * How long a statement of a script waits for a lock, in ms. Statements of services queue behind it.
 */
const statementWaitMs = 2_000;

interface ApplyOptions {
  log: Logger | undefined;
  /** How long to retry, in ms. */
  waitMs: number;
}

/**
 * M2. Applies a script, and records it in the same transaction. Services keep running meanwhile.
 *     After
 * a deadlock or a long wait for a lock, the script is rolled back and retried. Throws a
 * `MigrationError` that names the line of any other failure.
 */
export async function applyMigration(client: pg.Client, file: MigrationFile, options: ApplyOptions): Promise<void> {
  const end = performance.now() + options.waitMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await applyOnce(client, file);
    } catch (error) {
      if (!isInTheWay(error) || performance.now() >= end) throw error;
      options.log?.info(
        { migration: file.name, reason: error.message },
        'migration blocked by other sessions: retrying',
      );
      await delay(backoffMs(tries + 1) * (0.5 + Math.random()));
    }
  }
}

const passing = new Set(['40P01', '55P03']);

const isInTheWay = (error: unknown): error is MigrationError =>
  error instanceof MigrationError && error.cause instanceof pg.DatabaseError && passing.has(error.cause.code ?? '');

async function applyOnce(client: pg.Client, file: MigrationFile): Promise<void> {
  let completed = 0;
  const count = (): void => {
    completed += 1;
  };
  await client.query('begin');
  await client.query(`set local lock_timeout = ${statementWaitMs}`);
  client.connection.on('commandComplete', count);
  try {
    await client.query(file.script);
  } catch (error) {
    client.connection.off('commandComplete', count);
    await client.query('rollback').catch(() => undefined);
    throw migrationFailure(file, error, completed);
  }
  client.connection.off('commandComplete', count);
  await client.query(insertRecord, [file.checksum, file.name, breaksOlderBuilds(file.script)]);
  await failPoint('migration:before');
  await client.query('commit');
  await failPoint('migration:after');
}

function migrationFailure(file: MigrationFile, error: unknown, completed: number): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const line = failedLine(file.script, error.position, completed);
  const hints = [error.detail, error.hint].filter((text) => text !== undefined);
  const message = [`migration ${file.name} failed at line ${line}: ${error.message}`, ...hints].join('\n');
  return new MigrationError(`${message}\nThe migration was rolled back.`, { cause: error });
}
