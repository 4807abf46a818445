import { expect, it } from 'vitest';
import { listControlActions } from '../../../src/engine/audit/index.ts';
import { listEvents } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { useEngine } from '../../support/engine.ts';
import { withObservedReads } from '../../support/observedReads.ts';

const test = useEngine();

it('a plan that was made while a table was all but empty does not scan it for ever', async () => {
  const client = await test.db.pool.connect();
  try {
    await client.query('insert into run_outcome (run_id) values (uuidv7())');
    await client.query('analyze run_outcome');
    const text = 'select o.run_id from unnest($1::uuid[]) as wanted (run_id) join run_outcome o using (run_id)';
    await client.query({ name: 'planned', text, values: [[]] });
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute planned('{}')`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index.* Scan.*run_outcome_pkey/);
    expect(plan).not.toContain('Seq Scan');
  } finally {
    client.release();
  }
});

it.each([
  [
    'event',
    "(id, project_id, app, name, source, triggered) select uuidv7(), $1, 'shop', 'placed', 'api', '[]'",
    listEvents,
  ],
  ['control_action', "(id, project_id, action) select uuidv7(), $1, 'cancel'", listControlActions],
] as const)("a list of %s does not read another project's rows", async (table, rows, list) => {
  const { db, engine } = test;
  // The only project that the statistics know has all rows.
  await db.query(`insert into ${table} ${rows} from generate_series(1, 5000)`, [newId()]);
  await db.query(`analyze ${table}`);
  const read: number[] = [];
  const observed = withObservedReads(engine, async (tx, perform) => {
    await perform();
    const counted = await tx.query<{ rows: number }>(
      `select pg_stat_get_xact_tuples_returned('${table}_pkey'::regclass) as rows`,
    );
    read.push(Number(counted.rows[0]?.rows));
  });
  const question = {
    projectId: newId(),
    app: null,
    name: null,
    action: undefined,
    runId: undefined,
    after: undefined,
    limit: 10,
  };
  await list(observed, question);
  expect(read).toEqual([0]);
});
