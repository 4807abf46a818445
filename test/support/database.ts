import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { Database } from '../../src/engine/db/database.ts';
import { openDatabase } from '../../src/engine/db/pool/open.ts';

export interface TestDatabase {
  url: string;
  db: Database;
  /** Closes `db` and drops the database. Throws if a connection to it is still open. */
  drop(): Promise<void>;
}

/** Creates a migrated, empty database in a tenth of a second. Call `drop` in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `${inject('templateDatabase')}_${randomBytes(5).toString('hex')}`;
  await onServer((client) =>
    client.query(`create database "${name}" template "${inject('templateDatabase')}" strategy file_copy`),
  );
  const url = testDatabaseUrl(name);
  const db = await openDatabase({ url, applicationName: 'holdfast test' });
  return { url, db, drop: () => dropTestDatabase(name, db) };
}

/** Creates a database without a schema, and returns the function that drops it. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `${inject('templateDatabase')}_${randomBytes(5).toString('hex')}`;
  await onServer((client) => client.query(`create database "${name}"`));
  return { url: testDatabaseUrl(name), drop: () => onServer((client) => dropWithoutLeaks(client, name)) };
}

async function dropTestDatabase(name: string, db: Database): Promise<void> {
  if (!(await comesToRest(db))) {
    const { totalCount, idleCount, waitingCount } = db.pool;
    const doings = await onServer((client) => listDoings(client, name));
    await onServer((client) => client.query(`drop database "${name}" with (force)`));
    const left = `the test left ${totalCount - idleCount} pool clients checked out and ${waitingCount} waiting for one`;
    throw new Error([left, ...doings].join('\n'));
  }
  // Timers may start work until here, so wait for it.
  await db.close();
  await onServer((client) => dropWithoutLeaks(client, name));
}

/** The current or last statements of the connections to a database. */
async function listDoings(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ doing: string }>(
    `select concat_ws(' ', state, wait_event_type, wait_event, clock_timestamp() - state_change, left(query, 200)) as doing
     from pg_stat_activity where datname = $1 order by state`,
    [name],
  );
  return rows.map(({ doing }) => doing);
}

/**
 * Waits up to ten seconds for background writes (a cleared look-up, consequences). Returns whether
 * there was a moment without any.
 */
function comesToRest({ pool }: Database): Promise<boolean> {
  return onServer(async (client) => {
    for (let look = 0; look < 500; look += 1) {
      if (pool.totalCount === pool.idleCount && pool.waitingCount === 0) return true;
      await client.query('select pg_sleep(0.02)');
    }
    return false;
  });
}

async function dropWithoutLeaks(client: pg.Client, name: string): Promise<void> {
  const open = await openSessions(client, name);
  await client.query(`drop database "${name}" with (force)`);
  if (open.length > 0) throw new Error(`the test left connections open, last at: ${open.join('; ')}`);
}

/** Sessions that are still open after closed ones had time to end. */
async function openSessions(client: pg.Client, name: string): Promise<string[]> {
  const sessions = async (): Promise<string[]> => {
    // Excludes autovacuum and other workers of the server.
    const { rows } = await client.query<{ query: string }>(
      "select query from pg_stat_activity where datname = $1 and backend_type = 'client backend'",
      [name],
    );
    return rows.map((row) => row.query);
  };
  for (let look = 0; look < 50 && (await sessions()).length > 0; look += 1) await client.query('select pg_sleep(0.02)');
  return sessions();
}

function testDatabaseUrl(name: string): string {
  const url = new URL(inject('databaseServer'));
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject('databaseServer') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
