import { pino } from 'pino';
import type { Database } from '../../../src/engine/db/database.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { createTestDatabase } from '../../support/database.ts';
import { journal } from '../verdict/journal.ts';

/**
 * A database whose clock can be moved forward: `now()` and `clock_timestamp()` of the schema
 * `moved` hide PostgreSQL's own. So the engine runs with its production clock. Within a transaction
 * `now()` stays at its begin, however long it waits for turns, and `clock_timestamp()` proceeds.
 * The first `now()` of a transaction reads the clock. PostgreSQL inlines the others.
 */
export interface MovedDatabase {
  db: Database;
  /** Moves the clock forward, and refreshes the connected runners of a project. */
  advance(ms: number, projectId: string): Promise<void>;
  close(): Promise<void>;
}

const setUp = (name: string): string => `
  create schema moved;
  create table moved.clock (since timestamptz primary key, ahead interval not null);
  insert into moved.clock values ('-infinity', '0');
  create function moved.read_now() returns text language sql stable
    as $body$ select set_config('moved.now', (pg_catalog.now()
      + (select ahead from moved.clock where since <= pg_catalog.now() order by since desc limit 1))::text, true) $body$;
  create function moved.now() returns timestamptz language sql stable
    as $body$ select coalesce(nullif(current_setting('moved.now', true), ''), moved.read_now())::timestamptz $body$;
  create function moved.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + (select ahead from moved.clock order by since desc limit 1)';
  ${journal}
  alter database "${name}" set search_path = moved, pg_catalog, public;
`;

export async function createMovedDatabase(): Promise<MovedDatabase> {
  const { db: plain, url, drop } = await createTestDatabase();
  await plain.query(setUp(new URL(url).pathname.slice(1)));
  // Statements wait for their turn inside transactions, and each keeps a connection meanwhile.
  const db = await openDatabase({ url, max: 30, applicationName: 'holdfast test', log: pino({ level: 'silent' }) });
  return {
    db,
    advance: async (ms, projectId) => {
      await db.query({
        name: 'moveClock',
        text: `
          with moved as (
            insert into moved.clock as known
            select pg_catalog.clock_timestamp(), max(ahead) + $1::float8 * interval '1 ms' from (
              select ahead from moved.clock order by since desc limit 1
            ) latest
            on conflict (since) do update set ahead = greatest(known.ahead, excluded.ahead)
            returning ahead
          )
          update runner set last_seen_at = pg_catalog.now() + ahead from moved where project_id = $2 and connected`,
        values: [ms, projectId],
      });
    },
    close: async () => {
      await db.close();
      await drop();
    },
  };
}
