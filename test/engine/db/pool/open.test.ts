import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Transaction } from '../../../../src/engine/db/database.ts';
import { onFailPoint } from '../../../../src/engine/db/failPoints.ts';
import { openDatabase } from '../../../../src/engine/db/pool/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { lockWaits, somebodyWaits } from '../../../support/lockWaits.ts';

describe('the database', () => {
  let test1: TestDatabase;
  beforeAll(async () => {
    test1 = await createTestDatabase();
    await test1.db.query('create table note (text text, body json, number bigint)');
  });
  afterAll(() => test1.drop());
  afterEach(() => onFailPoint(undefined));

  const count = async (): Promise<unknown> => (await test1.db.query('select count(*) as n from note')).rows[0]?.n;

  test('reads int8 as a number, json as the very text, jsonb and instants parsed, numeric as text', async () => {
    const { rows } = await test1.db.query(`
      select 7::bigint as int8, array[1, null]::bigint[] as int8s, '{"a": 1e400 }'::json as json,
        array['{"b":1.0}']::json[] as jsons, '{"c":[1]}'::jsonb as jsonb,
        '2026-01-02T03:04:05.678Z'::timestamptz as at, 1.50::numeric as numeric`);
    expect(rows[0]).toEqual({
      int8: 7,
      int8s: [1, null],
      json: '{"a": 1e400 }',
      jsons: ['{"b":1.0}'],
      jsonb: { c: [1] },
      at: new Date('2026-01-02T03:04:05.678Z'),
      numeric: '1.50',
    });
  });

  test('shares one pool between Prisma and raw statements', async () => {
    await test1.db.prisma.project.create({ data: { id: '01940000-0000-7000-8000-000000000001', name: 'one' } });
    const { rows } = await test1.db.query('select name, registry_version from project');
    expect(rows).toEqual([{ name: 'one', registry_version: 1 }]);
    expect(test1.db.pool.totalCount).toBeLessThanOrEqual(10);
  });

  test('names the statements of Prisma, so that their plans are kept', async () => {
    await test1.db.prisma.project.findMany();
    const names = await test1.db.prisma.$queryRaw<{ name: string }[]>`select name from pg_prepared_statements`;
    expect(names.some(({ name }) => name.startsWith('p_'))).toBe(true);
  });

  test('a transaction commits its work, and returns its result', async () => {
    const before = await count();
    const result = await test1.db.transaction(async (tx) => {
      await tx.query(`insert into note (text) values ('kept')`);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await count()).toBe(Number(before) + 1);
  });

  test('a transaction whose work throws changes nothing, and releases its client', async () => {
    const before = await count();
    const work = test1.db.transaction(async (tx) => {
      await tx.query(`insert into note (text) values ('lost')`);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await count()).toBe(before);
    expect(test1.db.pool.idleCount).toBe(test1.db.pool.totalCount);
  });

  test('a transaction passes the fail-points around its commit', async () => {
    const seen: [string, unknown][] = [];
    onFailPoint(async (point) => {
      seen.push([point, await count()]);
    });
    const before = Number(await count());
    await test1.db.transaction((tx) => tx.query(`insert into note (text) values ('x')`));
    expect(seen).toEqual([
      ['transaction:before', before],
      ['transaction:after', before + 1],
    ]);
  });

  test('a transaction, and a lone statement, that PostgreSQL gives up for a deadlock are tried again', async () => {
    const { db } = test1;
    const lock = (...keys: number[]): string => keys.map((key) => `pg_advisory_xact_lock(${key})`).join();
    const held = db.transaction(async (gate) => {
      await gate.query(`select ${lock(3)}`);
      let tries = 0;
      // Each holds the lock that the other needs, once the gate opens.
      const lone = db.query(`select ${lock(1, 3, 2)}`);
      // It holds its first lock before the other asks for that.
      await somebodyWaits(db);
      const both = db.transaction(async (tx) => {
        tries += 1;
        await tx.query(`select ${lock(2)}`);
        await tx.query(`insert into note (text) values ('once')`);
        await tx.query(`select ${lock(1)}`);
        return tries;
      });
      await vi.waitFor(async () => expect(await lockWaits(db)).toBe(2), { timeout: 20_000 });
      return { lone, both };
    });
    const { lone, both } = await held;
    await lone;
    expect(await both).toBeLessThanOrEqual(2);
    const { rows } = await db.query(`select count(*)::int as n from note where text = 'once'`);
    expect(rows).toEqual([{ n: 1 }]);
  });

  describe('the effects of a transaction', () => {
    const told: string[] = [];
    afterEach(() => void told.splice(0));
    const names = (tx: Transaction, ...effects: string[]): void => {
      for (const effect of effects) tx.afterCommit(() => void told.push(effect));
    };

    test('follow its commit, in order', async () => {
      const before = Number(await count());
      let seen: Promise<unknown> | undefined;
      await test1.db.transaction(async (tx) => {
        names(tx, 'first', 'second');
        tx.afterCommit(() => {
          seen = count();
        });
        await tx.query(`insert into note (text) values ('told')`);
        expect(told).toEqual([]);
      });
      expect(told).toEqual(['first', 'second']);
      expect(await seen).toBe(before + 1);
    });

    test('are dropped when it is rolled back', async () => {
      const work = test1.db.transaction(async (tx) => {
        names(tx, 'lost');
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      expect(told).toEqual([]);
    });

    test('are dropped when its commit fails', async () => {
      await test1.db.query('create table once (n int unique deferrable initially deferred)');
      const work = test1.db.transaction(async (tx) => {
        names(tx, 'lost');
        await tx.query('insert into once values (1), (1)');
      });
      await expect(work).rejects.toThrow('duplicate key');
      expect(told).toEqual([]);
    });

    test('are those of the committed attempt, after a deadlock aborted a former one', async () => {
      let tries = 0;
      await test1.db.transaction(async (tx) => {
        tries += 1;
        names(tx, `try ${tries}`);
        if (tries === 1) await tx.query(`do $$ begin raise exception 'given up' using errcode = '40P01'; end $$`);
      });
      expect(told).toEqual(['try 2']);
    });

    test('fail neither the caller nor each other: one that throws is logged', async () => {
      const lines: string[] = [];
      const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
      const db = await openDatabase({ url: test1.url, log });
      const work = db.transaction(async (tx) => {
        names(tx, 'before');
        tx.afterCommit(() => {
          throw new Error('no ear');
        });
        names(tx, 'after');
        return 'done';
      });
      await expect(work).resolves.toBe('done');
      expect(told).toEqual(['before', 'after']);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { msg: 'an effect of a commit failed', err: { message: 'no ear' } },
      ]);
      await db.close();
    });

    test('follow a lone statement at once', () => {
      names(test1.db, 'at once');
      expect(told).toEqual(['at once']);
    });
  });

  test('a connection that is cut off in the middle of a transaction fails it, and only it', async () => {
    const work = test1.db.transaction(async (tx) => {
      const { rows } = await tx.query('select pg_backend_pid() as pid');
      await test1.db.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
      await tx.query('select 1');
    });
    await expect(work).rejects.toThrow();
    expect(await count()).toEqual(expect.any(Number));
    expect(test1.db.pool.idleCount).toBe(test1.db.pool.totalCount);
  });
});
