import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/engine/db/embedded/index.ts';
import { migrateDatabase } from '../../src/engine/db/migrations/migrate.ts';
import { makeRunFolder } from './runFolder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the server's database `postgres`, which creates the test databases. */
    databaseServer: string;
    /** The migrated database that each test file clones. */
    templateDatabase: string;
  }
}

/**
 * Makes the folder of the run, and starts one PostgreSQL for the whole run, without durability.
 * DATABASE_URL replaces it; its user must be allowed to create databases. Crash tests start their
 * own. Fails if a test file leaves a database behind.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeRunFolder();
  const server = await startServer(folder.path);
  const template = `holdfast_test_${process.pid}_${randomBytes(3).toString('hex')}`;
  await administer(server.url, (client) => client.query(`create database ${template}`));
  await migrateDatabase({ url: withDatabase(server.url, template) });
  project.provide('databaseServer', server.url);
  project.provide('templateDatabase', template);
  return async () => {
    const leaked = await administer(server.url, (client) => dropDatabases(client, template))
      .finally(server.stop)
      .finally(folder.remove);
    if (leaked.length > 0) throw new Error(`test databases were never dropped: ${leaked.join(', ')}`);
  };
}

const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

async function startServer(folder: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env['DATABASE_URL'];
  if (given) return { url: given, stop: async () => undefined };
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  const embedded = await startEmbedded({ directory: join(folder, 'pg'), settings, isDurable: false });
  return { url: withDatabase(embedded.url, 'postgres'), stop: () => embedded.stop() };
}

async function administer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Drops the template and the remaining clones, and returns the names of the clones. */
async function dropDatabases(client: pg.Client, template: string): Promise<string[]> {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [template],
  );
  for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`);
  return rows.map(({ datname }) => datname).filter((name) => name !== template);
}
