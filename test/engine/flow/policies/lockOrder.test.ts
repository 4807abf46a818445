import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { onFailPoint } from '../../../../src/engine/db/failPoints.ts';
import { runDoctor } from '../../../../src/engine/doctor/index.ts';
import { somebodyWaits } from '../../../support/lockWaits.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../../support/scriptedRunner.ts';
import { BufferScene } from '../../admission/bufferScene.ts';

let scene: BufferScene;

beforeAll(async () => {
  scene = await BufferScene.open();
});
afterEach(() => onFailPoint(undefined));
afterAll(async () => {
  const { checks } = await runDoctor(scene.engine);
  await scene.test.close();
  expect(checks.flatMap((each) => each.violations)).toEqual([]);
});

/**
 * The number of deadlocks that PostgreSQL has resolved. A session reports them after it was idle
 * for a second.
 */
async function deadlocks(): Promise<number> {
  await scene.test.db.query('select pg_sleep(1.5)');
  const { rows } = await scene.test.db.query(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return rows[0].deadlocks;
}

it('starts that compete at every gate never deadlock', async () => {
  const triggers = [{ event: 'ev' }];
  await scene.project(
    { name: 'a', triggers, idempotency: { key: 'i', periodMs: 1 }, debounce: { periodMs: 1, key: 'k' } },
    {
      name: 'b',
      triggers,
      idempotency: { key: 'i', periodMs: 1 },
      batch: { maxSize: 3, timeoutMs: 1, key: 'k' },
      rateLimit: { limit: 1_000, perMs: 1, key: 'i' },
    },
    { name: 'c', triggers, singleton: { key: 'k' }, debounce: { periodMs: 1, key: 'i' } },
    { name: 'd', triggers, singleton: { key: 'k' }, throttle: { limit: 1_000, perMs: 1, key: 'i' } },
  );
  for (let round = 0; round < 4; round += 1) {
    const numbers = Array.from({ length: 80 }, (_, n) => n);
    const sends = numbers.map((n) =>
      scene.send('ev', { i: (n * 7 + round) % 23, k: (n * 5 + round) % 11 }, {}, scene.engines[n % 3]),
    );
    await Promise.all([...sends, ...scene.engines.map((engine) => scene.flush(engine))]);
    scene.clock.advance(5);
  }
  await scene.flush();
  expect(await deadlocks()).toBe(0);
}, 60_000);

it('a run that emits into the buffer whose flush displaces it loses nothing', async () => {
  await scene.project({ name: 'loop', debounce: { periodMs: 1_000 }, singleton: {} });
  await scene.send('loop', { n: 0 });
  scene.clock.advance(1_000);
  await scene.flush();
  const dispatcher = await new ScriptedDispatcher(scene.engine, (request) =>
    memoOf(request, 'emit') ? complete(1) : steps([{ op: 'Emit', name: 'emit', eventName: 'loop', data: { n: 2 } }]),
  ).start();
  await scene.send('loop', { n: 1 });
  scene.clock.advance(1_000);
  let flushing: Promise<number> | undefined;
  onFailPoint(async (point) => {
    // The emitting pass has locked the row of the run, but not yet the buffer.
    if (point !== 'slideDebounced:before' || flushing) return;
    flushing = scene.flush(scene.engines[1]);
    flushing.catch(() => {});
    await somebodyWaits(scene.test.db);
  });
  await dispatcher.runOnce();
  expect(flushing).toBeDefined();
  await flushing?.catch(() => {});
  // The aborted transaction is retried at once. On a slow machine, a flush may lock its buffer
  // again before the waiting process wakes, so they deadlock once more.
  expect(await deadlocks()).toBeGreaterThanOrEqual(1);
  await scene.flush();
  scene.clock.advance(1_000);
  await scene.flush();
  await dispatcher.runOnce();
  const { rows } = await scene.test.db.query(
    "select count(*)::int as n from event where project_id = $1 and source = 'emit'",
    [scene.projectId],
  );
  const runs = await scene.runs();
  const numbers = runs.map(({ input }) => JSON.parse(input).n);
  expect(rows[0].n).toBeGreaterThanOrEqual(1);
  expect(numbers[0]).toBe(0);
  expect(numbers).toContain(2);
  expect(new Set(runs.map(({ event_id: eventId }) => eventId)).size).toBe(runs.length);
}, 60_000);
