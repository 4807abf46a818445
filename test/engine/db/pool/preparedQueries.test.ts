import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

let test: TestDatabase;
let client: pg.PoolClient;

beforeAll(async () => {
  test = await createTestDatabase();
  client = await test.db.pool.connect();
});
afterAll(async () => {
  client.release();
  await test.drop();
});

const everything = (values: unknown[]) => ({
  name: 'everything',
  text: `select $1::timestamptz as at, $2::text[] as texts, $3::json as raw, $4::jsonb as parsed, $5::int8 as big,
    $6::float8 as part, $7::bool as yes, $8::uuid as id, null::text as nothing from generate_series(1, 2)`,
  values,
});
const values = [
  new Date('2026-01-02T03:04:05.678Z'),
  ['a"b', null, 'c,d'],
  '{"n":1e400}',
  { a: [1] },
  7,
  0.5,
  true,
  '01a1ff3c-623a-71c8-9eb0-01a1ff3c623a',
];
const none = values.map(() => null);

it('an execution that comes later answers as the first, and takes the same parameters', async () => {
  const first = await client.query(everything(values));
  expect(first.rows[0]).toMatchObject({ at: values[0], texts: values[1], raw: values[2], big: 7, yes: true });
  const later = await client.query(everything(values));
  expect(later.rows).toEqual(first.rows);
  expect(later.rowCount).toBe(2);
  expect((await client.query(everything(none))).rows[0]).toEqual(
    Object.fromEntries(Object.keys(first.rows[0]).map((column) => [column, null])),
  );
});

it.each([{ name: 'camel' }, {}])('columns arrive in camel case where that is asked for: %j', async (named) => {
  const query = { ...named, text: 'select 1 as run_id, 2 as "laneId", 3 as p50', values: [], camelCase: true };
  for (const _ of [1, 2]) expect((await client.query(query)).rows).toEqual([{ runId: 1, laneId: 2, p50: 3 }]);
});

it('a pool answers alike, and executions that are asked for at once do not meet', async () => {
  const add = (n: number) =>
    test.db.query<{ n: number }>({ name: 'add', text: 'select $1::int + 1 as n', values: [n] });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => add(n)));
  expect(answers.map(({ rows }) => rows)).toEqual(answers.map((_, n) => [{ n: n + 1 }]));
});

it('a statement that fails once it is known fails alone', async () => {
  const divide = (by: number) => client.query({ name: 'divide', text: 'select 10 / $1::int as n', values: [by] });
  expect((await divide(2)).rows).toEqual([{ n: 5 }]);
  await expect(divide(0)).rejects.toThrow('division by zero');
  expect((await divide(5)).rows).toEqual([{ n: 2 }]);
});

it('a parameter that cannot be written fails its own statement', async () => {
  const echo = (value: unknown) => client.query({ name: 'echo', text: 'select $1::json as j', values: [value] });
  expect((await echo('[]')).rows).toEqual([{ j: '[]' }]);
  const circle: unknown[] = [];
  const endless = { circle };
  circle.push(endless);
  await expect(echo(endless)).rejects.toThrow('circular');
  expect((await echo('{}')).rows).toEqual([{ j: '{}' }]);
});

it('a statement without a result answers none, again and again', async () => {
  await client.query('create temporary table kept (n int)');
  const keep = (n: number) => client.query({ name: 'keep', text: 'insert into kept values ($1)', values: [n] });
  for (const n of [1, 2, 3]) expect((await keep(n)).rows).toEqual([]);
  expect((await client.query('select n from kept')).rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

it('a connection that is cut during an execution fails it', async () => {
  const other = await test.db.pool.connect();
  const wait = (seconds: number) =>
    other.query({ name: 'wait', text: 'select pg_sleep($1::float8), pg_backend_pid() as pid', values: [seconds] });
  const [{ pid }] = (await wait(0)).rows;
  const waiting = expect(wait(60)).rejects.toThrow(/terminating connection|terminated/);
  await client.query('select pg_terminate_backend($1)', [pid]);
  await waiting;
  other.release(true);
});
