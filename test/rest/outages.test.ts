import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
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
const ofProjects = routes.filter(({ scope, path }) => scope !== 'none' && path !== '/connect');

test('every route answers 503 without a free connection, and all have one log line a second', async () => {
  // Makes the key known.
  await rest.call('GET', '/events');
  const statuses = await whileDatabaseSays(exhausted, () =>
    Promise.all(
      ofProjects.map(async (route) => {
        const path = pathOf(route.path);
        const { status, headers } = await rest.call(route.method, path, fittingBody(route));
        return `${route.method} ${route.path} ${status} ${headers.get('retry-after')}`;
      }),
    ),
  );
  const ofRequest = ['POST /approvals/{id}/decision', 'PATCH'];
  expect(statuses.filter((each) => !each.endsWith(' 503 1') && !ofRequest.some((one) => each.startsWith(one)))).toEqual([]);
  const told = lines.filter(({ msg }) => msg === 'requests failed: the database cannot answer');
  expect(told).toEqual([expect.objectContaining({ requests: 1, reason: exhausted.message })]);
  expect(JSON.stringify(lines)).not.toContain('request failed');
});

test('the log line of the next second counts the requests since', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = await startRest();
  vi.useRealTimers();
  await server.close();
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
