import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Bus } from '../../../src/engine/bus.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { Notifier } from '../../../src/engine/notify/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openMutableProxy } from '../../support/mutableProxy.ts';

const test = useEngine();
const running: Notifier[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const notifier of running.splice(0)) await notifier.stop();
});

/** A process of the service: an engine and its bus. */
async function join(url = test.url): Promise<EngineContext> {
  const engine: EngineContext = { ...test.engine, bus: new Bus() };
  const notifier = new Notifier(engine, url, { reconnectMs: 50, checkMs: 100, answerMs: 500 });
  await notifier.start();
  running.push(notifier);
  return engine;
}

/**
 * Sends a message until the other process receives it. A message takes time, and may be sent before
 * anyone listens.
 */
async function hearsOf(laneId: number, { from, at }: { from: EngineContext; at: EngineContext }): Promise<void> {
  const heard: number[] = [];
  const stop = at.bus.on('work.ready', ({ laneIds }) => void heard.push(...laneIds));
  await vi.waitFor(
    () => {
      from.bus.emit('work.ready', { laneIds: [laneId] });
      expect(heard).toContain(laneId);
    },
    { timeout: 10_000, interval: 30 },
  );
  stop();
}

describe('a hint of a process', () => {
  it('arrives in the other processes, but not in its own', async () => {
    const [one, other] = [await join(), await join()];
    await hearsOf(1, { from: one, at: other });
    await hearsOf(2, { from: other, at: one });
    const own: number[] = [];
    one.bus.on('work.ready', ({ laneIds }) => void own.push(...laneIds));
    one.bus.emit('work.ready', { laneIds: [3] });
    await hearsOf(4, { from: one, at: other });
    expect(own.filter((laneId) => laneId === 3)).toEqual([3]);
  });

  it('arrives at a process that joins, even if the sender just found itself alone', async () => {
    const one = await join();
    const queries = vi.spyOn(test.db, 'query');
    const counts = () => queries.mock.calls.filter(([config]) => JSON.stringify(config).includes('countListeners'));
    one.bus.emit('work.ready', { laneIds: [1] });
    await vi.waitFor(() => expect(counts()).toHaveLength(1), { timeout: 10_000 });
    await Promise.all(queries.mock.results.map(({ value }) => value));
    // From now on the count of listening processes stays valid.
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now);
    const other = await join();
    await hearsOf(2, { from: one, at: other });
  });

  it('arrives again after the listening connection was cut off silently', async () => {
    const proxy = await openMutableProxy(test.url);
    try {
      const [one, other] = [await join(), await join(proxy.url)];
      await hearsOf(1, { from: one, at: other });
      proxy.mute();
      await hearsOf(2, { from: one, at: other });
      expect(proxy.accepted()).toBe(2);
      proxy.mute();
      for (const notifier of running.splice(0)) await notifier.stop();
    } finally {
      await proxy.close();
    }
  });

  it('arrives again, once, after the connection was lost, or refused at first', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    query.mockImplementationOnce(() => Promise.reject(new Error('not now')));
    const [other, one] = [await join(), await join()];
    await hearsOf(1, { from: one, at: other });
    await test.db.query(`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name = 'holdfast listener'`);
    await hearsOf(2, { from: one, at: other });
    await hearsOf(3, { from: other, at: one });
    const heard: number[] = [];
    other.bus.on('work.ready', ({ laneIds }) => void heard.push(...laneIds));
    one.bus.emit('work.ready', { laneIds: [4] });
    await hearsOf(5, { from: one, at: other });
    expect(heard.filter((laneId) => laneId === 4)).toEqual([4]);
  });
});
