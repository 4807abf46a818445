import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { registerDispatcher, silenceMs, tickDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { suspectLeases } from '../../../src/engine/work/held.ts';
import { connectEngine } from '../../../src/workers/dispatcher/engineSeams.ts';
import { createTestEngine, type OwnedEngine } from '../../support/engine.ts';
import { type MutableProxy, openMutableProxy } from '../../support/mutableProxy.ts';

let test: OwnedEngine;
let proxy: MutableProxy;
let db: Database;
let engine: EngineContext;

beforeEach(async () => {
  test = await createTestEngine();
  proxy = await openMutableProxy(test.url);
  db = await openDatabase({ url: proxy.url, max: 2 });
  engine = createEngine({ db, log: pino({ level: 'silent' }), settings: test.engine.settings });
});
afterEach(async () => {
  await proxy.close();
  await db.close();
  await test.close();
});

/** How long the heartbeat takes, in ms. It has to be answered. */
async function timeOf(beat: () => Promise<{ alive: boolean }>): Promise<number> {
  const sentMs = performance.now();
  expect(await beat()).toEqual({ alive: true });
  return performance.now() - sentMs;
}

describe('the heartbeat of a dispatcher', () => {
  it('uses another connection in time if its own was cut off silently', async () => {
    const id = await registerDispatcher(engine);
    await tickDispatcher(engine, id);
    proxy.mute();
    // Half of the allowed silence remains for the interval between two beats.
    expect(await timeOf(() => tickDispatcher(engine, id))).toBeLessThan(silenceMs / 2);
    expect(await timeOf(() => tickDispatcher(engine, id))).toBeLessThan(1_000);
  });

  it('waits for no other statement, even if all connections of the pool are in use', async () => {
    const id = await registerDispatcher(engine);
    const clients = await Promise.all([db.pool.connect(), db.pool.connect()]);
    expect(await timeOf(() => tickDispatcher(engine, id))).toBeLessThan(silenceMs / 2);
    for (const client of clients) client.release();
  });

  it('waits for no claim on a silent connection, even if leases are suspect', async () => {
    const { work } = connectEngine(engine);
    const id = await work.register();
    await work.tick(id);
    proxy.mute();
    const claim = work.claim(id, [{ laneIds: [1], limit: 1 }]).catch(() => undefined);
    suspectLeases(engine);
    expect(await timeOf(() => work.tick(id))).toBeLessThan(silenceMs / 2);
    await proxy.close();
    await claim;
  });

  it('fails at once if the database refuses it', async () => {
    await proxy.close();
    const sentMs = performance.now();
    await expect(tickDispatcher(engine, test.engine.settings.operatorKey)).rejects.toThrow();
    expect(performance.now() - sentMs).toBeLessThan(1_000);
  });
});
