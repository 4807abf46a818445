import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../../src/engine/db/statement.ts';
import { newId } from '../../../src/engine/ids.ts';
import { createLanes } from '../../../src/engine/lanes/index.ts';
import type { LaneKey } from '../../../src/engine/model/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const lane = (projectId: string, workflow: string, runner = ''): LaneKey => ({ projectId, app: 'a', workflow, runner });

/** Counts the statements that reach the database. */
function counting(db: Queryable): { db: Queryable; count: () => number } {
  let count = 0;
  const query = (...args: Parameters<Queryable['query']>): unknown => {
    count++;
    return Reflect.apply(db.query, db, args);
  };
  return { db: { query } as Queryable, count: () => count };
}

describe('lanes', () => {
  it('get one id each, in the order of the call, for all callers', async () => {
    const projectId = newId();
    const keys = [lane(projectId, 'b'), lane(projectId, 'a'), lane(projectId, 'a', 'pin'), lane(projectId, 'b')];
    const ids = await createLanes(test.db).ensure(keys);
    expect(ids).toHaveLength(4);
    expect(ids[0]).toBe(ids[3]);
    expect(new Set(ids).size).toBe(3);
    expect(await createLanes(test.db).ensure([...keys].reverse())).toEqual([...ids].reverse());
    expect(await createLanes(test.db).ensure([])).toEqual([]);
  });

  it('are asked for once only', async () => {
    const { db, count } = counting(test.db);
    const lanes = createLanes(db);
    const key = lane(newId(), 'w');
    const [id] = await lanes.ensure([key, key]);
    await lanes.ensure([key]);
    expect(await lanes.describe([id ?? 0])).toEqual(new Map([[id, key]]));
    expect(count()).toBe(1);
  });

  it('are looked for once by however many ask at once', async () => {
    const { db, count } = counting(test.db);
    const lanes = createLanes(db);
    const key = lane(newId(), 'w');
    const ids = await Promise.all(Array.from({ length: 10_000 }, () => lanes.ensure([key])));
    expect(new Set(ids.flat()).size).toBe(1);
    expect(count()).toBe(1);
  });

  it('are described by their ids, unknown ids left out', async () => {
    const key = lane(newId(), 'w', 'r');
    const [id = 0] = await createLanes(test.db).ensure([key]);
    expect(await createLanes(test.db).describe([id, 2_000_000_000])).toEqual(new Map([[id, key]]));
  });

  it('are the same for twenty that race to make them in any order', async () => {
    const projectId = newId();
    const names = Array.from({ length: 50 }, (_, index) => `w${index}`);
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, racer) => {
        const mine = racer % 2 ? [...names].reverse() : names;
        const ids = await createLanes(test.db).ensure(mine.map((name) => lane(projectId, name)));
        return Object.fromEntries(mine.map((name, index) => [name, ids[index]]));
      }),
    );
    for (const result of results) expect(result).toEqual(results[0]);
  });

  it('are found when another transaction creates them at the same time and commits later', async () => {
    const key = lane(newId(), 'slow');
    const client = await test.db.pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into lane (project_id, app, workflow) values ($1, $2, $3)', [
        key.projectId,
        'a',
        'slow',
      ]);
      const ensured = createLanes(test.db).ensure([key]);
      await waitUntilBlocked();
      await client.query('commit');
      const [id] = await ensured;
      const { rows } = await test.db.query('select id from lane where project_id = $1', [key.projectId]);
      expect(rows).toEqual([{ id }]);
    } finally {
      client.release();
    }
  });

  it('stay right when there are more of them than the cache holds', async () => {
    const projectId = newId();
    const lanes = createLanes(test.db, 3);
    const keys = Array.from({ length: 10 }, (_, index) => lane(projectId, `w${index}`));
    const ids = await lanes.ensure(keys);
    expect(await lanes.ensure(keys)).toEqual(ids);
    expect([...(await lanes.describe(ids)).values()].map((key) => key.workflow).sort()).toEqual(
      keys.map((key) => key.workflow),
    );
  });
});

async function waitUntilBlocked(): Promise<void> {
  for (let look = 0; look < 500; look++) {
    const { rows } = await test.db.query('select from pg_locks where not granted');
    if (rows.length > 0) return;
    await test.db.query('select pg_sleep(0.01)');
  }
  throw new Error('nothing was blocked');
}
