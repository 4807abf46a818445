import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { listRuns, type TagFilter } from '../../../src/engine/runs/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let client: pg.PoolClient;
/** Everything on one connection, in one transaction: PostgreSQL counts what that does. */
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await test.db.query(
    `insert into run (id, project_id, app, workflow, version, status, trigger_kind, tags, input, created_at, ended_at, depth)
     select uuidv7(-n * interval '1 second'), $1, 'shop', 'order', 'v1', 'succeeded', 'event',
       jsonb_build_object('order', 'o' || n, 'tenant', 't' || n % 2), '{}', now() - n * interval '1 second', now(), 0
     from generate_series(1, 10000) n`,
    [projectId],
  );
  await test.db.query('vacuum analyze run');
  client = await test.db.pool.connect();
  const query = client.query.bind(client) as EngineContext['db']['query'];
  engine = { ...test.engine, db: { ...test.db, query, transaction: (work) => work({ ...test.db, query }) } };
});
afterAll(async () => {
  client.release();
});

/**
 * How often the transaction, and what is not told of those before it, has looked into each index of
 * runs.
 */
async function countScans(): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; scans: number }>(
    `select indexrelid::regclass::text as name, pg_stat_get_xact_numscans(indexrelid) as scans
     from pg_index where indrelid = 'run'::regclass`,
  );
  return new Map(rows.map(({ name, scans }) => [name, scans]));
}

/** Which indexes of runs a list looked into. */
async function indexesOf(tag: TagFilter, limit: number): Promise<{ found: number; indexes: string[] }> {
  await client.query('begin');
  const before = await countScans();
  const order = { sort: 'started', dir: 'desc' } as const;
  const { rows } = await listRuns(engine, { projectId, filter: { tags: [tag] }, order, after: undefined, limit });
  const after = await countScans();
  await client.query('rollback');
  return { found: rows.length, indexes: [...after.keys()].filter((name) => after.get(name) !== before.get(name)) };
}

describe('a list of runs by a tag is planned for the value that is asked for', () => {
  it('of a business key it finds the one run by its tag, and passes no others', async () => {
    expect(await indexesOf({ key: 'order', value: 'o9000' }, 1)).toEqual({ found: 1, indexes: ['run_tags_idx'] });
  });

  it('of a tag that many have it walks back from the newest run, no further than the page needs', async () => {
    expect(await indexesOf({ key: 'tenant', value: 't1' }, 30)).toEqual({
      found: 30,
      indexes: ['run_project_id_created_at_id_idx'],
    });
  });
});
