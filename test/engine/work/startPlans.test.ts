import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expiredStarts } from '../../../src/engine/consequences/sql/expiredStarts.ts';
import type { Queryable } from '../../../src/engine/db/statement.ts';
import { listSince } from '../../../src/engine/events/sql/listSince.ts';
import { listLooking } from '../../../src/engine/events/sql/lookingWaits.ts';
import { dueTurns } from '../../../src/engine/flow/policies/throttle/sql/dueTurns.ts';
import { newId } from '../../../src/engine/ids.ts';
import { hasLeftovers } from '../../../src/engine/recovery/sql/hasLeftovers.ts';
import { nextDue } from '../../../src/engine/work/sql/nextDue.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let client: pg.PoolClient;
let projectId: string;

const runs = 20_000;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await test.db.query({
    text: `
      with lane as (insert into lane (project_id, app, workflow) values ($1, 'default', 'flow') returning id),
      made as (
        insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, started_at, depth)
        select uuidv7(), $1, 'default', 'flow', 'v1', 'waiting', 'event', '{}', now(), 0 from generate_series(1, ${runs}) n
        returning id
      ),
      heard as (
        insert into run_wait (run_id, step_index, project_id, event_name) select id, 0, $1, 'paid' from made
      )
      insert into run_work (run_id, project_id, lane_id, state, position, seq, claim_no, due_at)
      select id, $1, (select id from lane), 'parked', 1, 0, 1, now() + interval '1 day' from made`,
    values: [projectId],
  });
  await test.db.query({
    text: `insert into event (id, project_id, app, name, source, triggered)
      select uuidv7(), $1, 'default', 'paid', 'api', '[]' from generate_series(1, ${runs}) n`,
    values: [projectId],
  });
  for (const table of ['run', 'run_work', 'run_wait', 'event']) await test.db.query(`vacuum analyze ${table}`);
  client = await test.db.pool.connect();
});
afterAll(() => client.release());

/** The rows that a statement reads of the tables that grow with runs and events. */
async function costOf(ask: (db: Queryable) => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    const { rows } = await client.query<{ n: number }>(
      `select sum(seq_tup_read + idx_tup_fetch)::int as n from pg_stat_xact_user_tables
       where relname in ('run', 'run_work', 'run_wait', 'event')`,
    );
    return rows[0]?.n ?? 0;
  };
  await client.query('begin');
  const before = await read();
  await ask(client);
  const after = await read();
  await client.query('rollback');
  return after - before;
}

const now = null;

describe.each(['force_generic_plan', 'force_custom_plan'])(
  'with a %s, among many runs without such a start',
  (mode) => {
    beforeAll(() => client.query(`set plan_cache_mode = ${mode}`));

    it.each<[string, (db: Queryable) => Promise<unknown>]>([
      ['expired starts', (db) => expiredStarts(db, { limit: 500, now })],
      ['turns that are due', (db) => dueTurns(db, { limit: 500, now })],
      ['waits that look back', (db) => listLooking(db, { olderThanMs: 0, limit: 200, now })],
      ['leftovers', (db) => hasLeftovers(db, undefined)],
      ['due times', (db) => nextDue(db, { now })],
    ])('the search for %s reads next to nothing', async (_, ask) => {
      expect(await costOf(ask)).toBeLessThan(5);
    });

    it('the search of the log reads the last events of the name only', async () => {
      const question = { projectId, eventName: 'paid', since: new Date(0), runId: newId(), window: 1_000, limit: 1 };
      const read = await costOf((db) => listSince(db, question));
      expect(read).toBeLessThan(1_100);
    });
  },
);
