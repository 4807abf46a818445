import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

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
