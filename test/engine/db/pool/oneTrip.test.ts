import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { int, oneTrip, statement } from '../../../../src/engine/db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

const keep = statement<{ keptN: number }>('keepForTrip').writes({
  params: { n: int },
  text: 'insert into pg_temp.kept values ($n) returning n as kept_n',
});
const count = statement<{ rows: number; transaction: string }>('countForTrip').reads({
  text: 'select count(*)::int as rows, pg_current_xact_id()::text as transaction from pg_temp.kept',
});
const divide = statement<{ n: number }>('divideForTrip').reads({ params: { by: int }, text: 'select 10 / $by as n' });

let test: TestDatabase;
let client: pg.PoolClient;

beforeAll(async () => {
  test = await createTestDatabase();
  client = await test.db.pool.connect();
  await client.query('create temporary table kept (n int)');
});
beforeEach(() => client.query('truncate kept'));
afterAll(async () => {
  client.release();
  await test.drop();
});

it.each(['the first time', 'later'])('the statements of a trip see each other, in one transaction, %s', async () => {
  const [before, kept, after] = await oneTrip(client, count.part({}), keep.part({ n: 7 }), count.part({}));
  expect([before[0]?.rows, kept, after[0]?.rows]).toEqual([0, [{ keptN: 7 }], 1]);
  expect(after[0]?.transaction).toBe(before[0]?.transaction);
});

it.each(['the first time', 'later'])('a trip with a statement that fails writes nothing, %s', async () => {
  const failing = oneTrip(client, keep.part({ n: 1 }), divide.part({ by: 0 }), keep.part({ n: 2 }));
  await expect(failing).rejects.toThrow('division by zero');
  expect(await count(client, {})).toMatchObject([{ rows: 0 }]);
  expect(await divide(client, { by: 5 })).toEqual([{ n: 2 }]);
});

it('a trip whose values cannot be written writes nothing', async () => {
  await oneTrip(client, keep.part({ n: 1 }), divide.part({ by: 1 }));
  const endless: unknown[] = [];
  endless.push({ endless });
  const broken = { ...divide.part({ by: 1 }), values: [{ endless }] };
  await expect(oneTrip(client, keep.part({ n: 2 }), broken)).rejects.toThrow('circular');
  expect(await count(client, {})).toMatchObject([{ rows: 1 }]);
});

it('a trip through the pool is committed when it is answered', async () => {
  await test.db.query('create table noted (n int)');
  const note = statement<never>('noteForTrip').writes({ params: { n: int }, text: 'insert into noted values ($n)' });
  await Promise.all([1, 2, 3].map((n) => oneTrip(test.db, note.part({ n }), divide.part({ by: n }))));
  await oneTrip(test.db, note.part({ n: 4 }), divide.part({ by: 4 }));
  expect((await test.db.query('select n from noted order by n')).rows).toEqual([1, 2, 3, 4].map((n) => ({ n })));
});
