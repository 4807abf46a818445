import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { noteOutage } from '../../src/engine/outages.ts';
import { routes } from '../../src/rest/index.ts';
import { fittingBody, type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
let lines: { msg: string; requests?: number; reason?: string }[];
beforeAll(async () => {
  rest = await startRest();
});
beforeEach(() => {
  lines = [];
  rest.engine.log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
});
afterAll(() => rest.close());

/** Answers every statement with an error during `work`. */
async function whileDatabaseSays<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const { db } = rest.engine;
  const { query, transaction, reading } = db;
  const refuse = () => Promise.reject(error);
  Object.assign(db, { query: refuse, transaction: refuse, reading: refuse });
  try {
    return await work();
  } finally {
    Object.assign(db, { query, transaction, reading });
  }
}

const exhausted = new Error('timeout exceeded when trying to connect');
const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });
const pathOf = (path: string): string => path.replace(/\{(\w+)\}/g, (_, name) => (name === 'id' ? newId() : 'x'));
const registration = { app: 'a', url: 'http://127.0.0.1:1/', workflows: [] };
const ofProjects = routes.filter(
  ({ scope, kind, path }) => scope !== 'none' && kind !== 'stream' && path !== '/connect',
);

test('every route answers 503 without a free connection, and all have one log line a second', async () => {
  // Makes the key known.
  await rest.call('GET', '/events');
  const statuses = await whileDatabaseSays(exhausted, () =>
    Promise.all(
      ofProjects.map(async (route) => {
        const path = pathOf(route.path);
        const { status, headers } = await rest.call(
          route.method,
          path,
          path === '/register' ? registration : fittingBody(route),
        );
        return `${route.method} ${route.path} ${status} ${headers.get('retry-after')}`;
      }),
    ),
  );
  expect(statuses.filter((each) => !each.endsWith(' 503 1'))).toEqual([]);
  const told = lines.filter(({ msg }) => msg === 'requests failed: the database cannot answer');
  expect(told).toEqual([expect.objectContaining({ requests: 1, reason: exhausted.message })]);
  expect(JSON.stringify(lines)).not.toContain('request failed');
});

test('the log line of the next second counts the requests since', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fresh = { ...rest.engine };
  for (let n = 0; n < 5; n += 1) noteOutage(fresh, exhausted);
  vi.advanceTimersByTime(999);
  expect(lines).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(lines).toEqual([expect.objectContaining({ requests: 1 }), expect.objectContaining({ requests: 4 })]);
});

test.each(['/events/stream', `/runs/${newId()}/stream`])('GET %s is not opened', async (path) => {
  await rest.call('GET', '/events');
  expect(await whileDatabaseSays(exhausted, () => rest.call('GET', path))).toMatchObject({ status: 503 });
});

test.each([
  coded('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'),
  coded('the database system is starting up', '57P03'),
  coded('sorry, too many clients already', '53300'),
  coded("Can't reach database server", 'P1001'),
])('%s is busy, also for a key that must be looked up', async (error) => {
  const stranger = (await rest.stranger()).secret;
  const answer = await whileDatabaseSays(error, () => rest.call('GET', '/workflows', undefined, { key: stranger }));
  expect(answer).toMatchObject({ status: 503, body: { error: 'the database cannot answer now: retry' } });
  expect(await rest.call('GET', '/workflows', undefined, { key: stranger })).toMatchObject({ status: 200 });
});

test('a fault of our own is none', async () => {
  const fault = new TypeError('a mistake');
  const { status } = await whileDatabaseSays(fault, () => rest.call('GET', '/events'));
  expect(status).toBe(500);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'request failed' }));
});
