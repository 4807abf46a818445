import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../../src/engine/db/database.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { answerMsFor, defaultAnswerMs } from '../../../src/engine/db/silentConnections.ts';
import { isConnectionLost, isTransient, retryTransient } from '../../../src/engine/db/transient.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type MutableProxy, openMutableProxy } from '../../support/mutableProxy.ts';

const answerMs = 400;

let direct: TestDatabase;
let proxy: MutableProxy;
let db: Database;
beforeAll(async () => {
  direct = await createTestDatabase();
  await direct.db.query('create table note (text text)');
});
beforeEach(async () => {
  proxy = await openMutableProxy(direct.url);
  db = await openDatabase({ url: proxy.url, answerMs, max: 2 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await db.close();
  await proxy.close();
  await direct.db.query('truncate note');
});
afterAll(() => direct.drop());

const reasonOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error) => error);

describe('a connection that is cut off without a word', () => {
  test('fails its statement after a bounded time as any that broke, and is used no more', async () => {
    await db.query('select 1');
    proxy.mute();
    const reason = await reasonOf(db.query("insert into note values ('unknown')"));
    expect(String(reason)).toContain('no answer from the database for 400 ms');
    expect(isTransient(reason)).toBe(true);
    expect(isConnectionLost(reason)).toBe(true);
    expect(db.pool.totalCount).toBe(0);
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(proxy.accepted()).toBe(2);
  });

  test('fails a statement that it has prepared, and one of Prisma, likewise', async () => {
    for (const ask of [
      () => db.query({ name: 'ask', text: 'select $1::int as one', values: [1] }),
      () => db.prisma.project.findMany(),
    ]) {
      for (let times = 0; times < 3; times += 1) await ask();
      proxy.mute();
      expect(isConnectionLost(await reasonOf(ask()))).toBe(true);
      await ask();
    }
  });

  test('fails its transaction at once when it is noticed, and not only after another wait for the rollback', async () => {
    let mutedMs = 0;
    const reason = await reasonOf(
      db.transaction(async (tx) => {
        await tx.query("insert into note values ('lost')");
        proxy.mute();
        mutedMs = performance.now();
        await tx.query('select 1');
      }),
    );
    expect(performance.now() - mutedMs).toBeLessThan(2 * answerMs);
    expect(isConnectionLost(reason)).toBe(true);
    expect(db.pool.totalCount).toBe(0);
  });

  test('may take all the time in which work is tried again: it is tried again even so', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const tries: number[] = [];
    await retryTransient(async (count) => {
      tries.push(count);
      now += 60_000;
      if (count === 0) throw new Error('connection terminated: no answer from the database for 60000 ms');
    });
    expect(tries).toEqual([0, 1]);
  });
});

describe('a connection that works', () => {
  test('is kept while it owes no answer, in a transaction too', async () => {
    await db.transaction(async (tx) => {
      await tx.query("insert into note values ('kept')");
      await direct.db.query('select pg_sleep(0.6)');
      await tx.query('select 1');
    });
    await direct.db.query('select pg_sleep(0.6)');
    expect((await db.query('select text from note')).rows).toEqual([{ text: 'kept' }]);
    expect(proxy.accepted()).toBe(1);
  });

  test('carries no statement for longer: the server cancels it before, and its work is rolled back', async () => {
    const reason = await reasonOf(
      db.query("with slow as (select pg_sleep(0.6)) insert into note select 'slow' from slow"),
    );
    expect(reason).toMatchObject({ code: '57014' });
    expect(isTransient(reason)).toBe(true);
    expect((await db.query('select text from note')).rows).toEqual([]);
  });

  test('is given the time that long reads may take', () => {
    expect(answerMsFor(15_000)).toBe(defaultAnswerMs);
    expect(answerMsFor(300_000)).toBeGreaterThan(300_000);
  });
});
