import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRun } from '../schema/fixtures.ts';
import { countWaiting, whileReadsWait } from './heldReads.ts';
import { type Answered, type RestServer, startRest } from './restServer.ts';

const readTimeoutMs = 300;
let patient: RestServer;
let hasty: RestServer;
beforeAll(async () => {
  patient = await startRest();
  hasty = await startRest({ settings: { readTimeoutMs } });
  await insertRun(patient.engine, patient.projectId, { workflow: 'found' });
  // Makes its key known before the tables are locked.
  await hasty.call('GET', '/events');
});
afterAll(async () => {
  await patient.close();
  await hasty.close();
});

test('searches that take long leave half of the connections to others, and one of theirs to other projects', async () => {
  const searches: Promise<Answered>[] = [];
  await whileReadsWait(patient, async (holder) => {
    for (let n = 0; n < 12; n += 1) searches.push(patient.call('GET', '/runs?q=found&deep=1'));
    await expect.poll(() => countWaiting(holder), { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    expect(await patient.call('GET', '/events')).toMatchObject({ status: 200 });
    expect(await countWaiting(holder)).toBe(4);
    searches.push(patient.call('GET', '/runs/stats', undefined, { key: (await patient.stranger()).secret }));
    await expect.poll(() => countWaiting(holder), { timeout: 20_000 }).toBe(5);
  });
  for (const search of searches.slice(0, 12))
    expect(await search).toMatchObject({ status: 200, body: [{ workflow: 'found' }] });
  expect(await searches.at(-1)).toMatchObject({ status: 200 });
});

test.each(['/runs?q=x', '/runs?q=x&deep=1&sort=duration', '/runs/stats', '/runs/timeseries', '/ai/spend', '/sessions'])(
  'GET %s answers 503 when it takes too long, and says why',
  async (path) => {
    const answer = await whileReadsWait(hasty, () => hasty.call('GET', path));
    expect(answer).toMatchObject({
      status: 503,
      body: { error: 'the query took longer than 300 ms: narrow it, for example by since' },
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await hasty.call('GET', path)).toMatchObject({ status: 200 });
  },
);

test('the limit of such reads holds for no other calls', async () => {
  await hasty.call('GET', '/runs/stats');
  const clients = await Promise.all(Array.from({ length: 10 }, () => hasty.engine.db.pool.connect()));
  for (const client of clients) {
    const { rows } = await client.query('show statement_timeout');
    client.release();
    expect(rows).toEqual([{ statement_timeout: '50s' }]);
  }
});

test('a list without a search or tags is one statement, without settings of its own', async () => {
  const sent: unknown[] = [];
  const { db } = hasty.engine;
  const query = db.query.bind(db) as (...args: unknown[]) => unknown;
  db.query = ((...args: unknown[]) => {
    if (Object(args[0]).parts) sent.push('with settings');
    return query(...args);
  }) as typeof db.query;
  await hasty.call('GET', '/runs?app=shop&status=failed');
  expect(sent).toEqual([]);
  await hasty.call('GET', '/runs?q=x');
  expect(sent).toEqual(['with settings']);
});
