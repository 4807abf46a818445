import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { playScenes, type Scene, type Walk } from './scenes.ts';
import { check, type Service, services } from './services.ts';

/**
 * Single statements on rows that stand for themselves: whether such a write happened is all there
 * is to it. The retirement of a workflow is a part of a registration's transaction, or such a
 * transaction itself; `test/engine/registry/retirement.test.ts` tries its races. The configuration
 * of webhooks is one transaction a call, and `test/engine/webhooks/config.test.ts` breaks it off.
 */
const notTried = [
  'changeEndpoint',
  'changeProject',
  'changeSource',
  'claimCall',
  'closeConnections',
  'deleteExpiredCalls',
  'deleteExpiredKeys',
  'deleteExpiredTickets',
  'deleteIdleLanes',
  'deleteOldHours',
  'deletePassedRates',
  'deleteSealedSecrets',
  'drawConnectionNos',
  'dropOrphans',
  'endApiKey',
  'evictCached',
  'holdOutcome',
  'insertApiKey',
  'insertEndpoint',
  'insertStarts',
  'insertTestDelivery',
  'insertTicket',
  'missRunners',
  'moveBuffersBack',
  'moveKeys',
  'moveMissedSchedules',
  'pruneAnonymousRunners',
  'putCached',
  'recordCall',
  'recordStarted',
  'removeEndpoint',
  'removeSource',
  'resealSecrets',
  'reviveLane',
  'setRetirements',
  'takeCached',
  'takeTickets',
  'touchConnections',
  'touchKeys',
];

/** How many processes die at the same time: more would only slow down the tests beside. */
const lanes = 2;

/** A service that dies somewhere. */
interface Death {
  point: string;
  database: TestDatabase;
}

/**
 * Lets processes die, each at the next of the points. What one leaves is the first thing that the
 * next one finds, which then dies on a database of its own: to start a process costs more than all
 * the rest.
 */
async function dieOneAfterTheOther(service: Service, points: string[]): Promise<void> {
  let past: Death | undefined;
  do {
    const point = points.pop();
    const next = point === undefined ? undefined : { point, database: await createTestDatabase() };
    try {
      await goOnAndDie(service, past, next);
    } catch (error) {
      await next?.database.drop();
      throw error;
    } finally {
      await past?.database.drop();
    }
    past = next;
  } while (past);
}

/**
 * A process brings to its end what the one before has left, and then dies in its turn, if there is
 * a next death.
 */
async function goOnAndDie(service: Service, past: Death | undefined, next: Death | undefined): Promise<void> {
  const scenes: Scene[] = [
    ...(past ? [{ url: past.database.url, aheadMs: 20_000 }] : []),
    ...(next ? [{ url: next.database.url, failPoint: next.point }] : []),
  ];
  const { code, signal, walks, err } = await playScenes(service, scenes);
  const course = { after: past?.point, until: next?.point };
  const asItMust = next ? { code: null, signal: 'SIGKILL' } : { code: 0, signal: null };
  expect({ ...course, code, signal, ended: walks.length, err }).toEqual({
    ...course,
    ...asItMust,
    ended: past ? 1 : 0,
    err: '',
  });
  if (!past) return;
  await check(service, past.database).catch((error: unknown) => {
    throw new Error(`after dying at ${past.point}`, { cause: error });
  });
}

/** Plays a service to its end, and answers what it met. */
async function walkThrough(service: Service): Promise<Walk> {
  const database = await createTestDatabase();
  try {
    const { code, walks, err } = await playScenes(service, [{ url: database.url }]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await check(service, database);
    const [walk] = walks;
    if (!walk) throw new Error(`${service.file} said nothing`);
    return walk;
  } finally {
    await database.drop();
  }
}

describe('a process that dies at a write', () => {
  const walks: Walk[] = [];

  beforeAll(async () => {
    for (const service of services) walks.push(await walkThrough(service));
  }, 120_000);

  test('is tried at every write of the engine, but for those that no run depends on', () => {
    const reached = new Set(walks.flatMap((walk) => walk.reached).map((point) => point.split(':')[0]));
    const declared = new Set(walks.flatMap((walk) => walk.declared));
    expect([...declared].filter((name) => !reached.has(name)).sort()).toEqual(notTried);
  });

  // What both pass is tried once, by the first.
  test.each(services.map((service, position) => ({ ...service, position })))(
    'leaves nothing lost and nothing doubled, wherever it is ($file)',
    async ({ position, ...service }) => {
      const tried = new Set(walks.slice(0, position).flatMap((walk) => walk.reached));
      const points = (walks[position]?.reached ?? []).filter((point) => !tried.has(point));
      await Promise.all(Array.from({ length: lanes }, () => dieOneAfterTheOther(service, points)));
    },
    600_000,
  );
});
