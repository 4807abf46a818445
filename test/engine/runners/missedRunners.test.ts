import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { missedRunners, registerRunner, touchRunners } from '../../../src/engine/runners/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const minute = 60_000;

/** A runner that registers an address. */
async function registered() {
  const projectId = await createTestProject(test.engine);
  const registration = { app: 'shop', runner: 'r1', url: 'http://127.0.0.1:9/', workflows: [{ name: 'order' }] };
  const register = () => registerRunner(test.engine, { projectId, registration });
  await register();
  const row = () => test.db.prisma.runner.findFirstOrThrow({ where: { projectId } });
  const { connectionId } = await row();
  const miss = () => missedRunners(test.engine, [connectionId]);
  return { register, row, miss, connectionId };
}

describe('a runner that registers at an address which cannot be reached', () => {
  it('is not live any more after the liveness window, however often it registers', async () => {
    const { register, row, miss, connectionId } = await registered();
    const since = clock.now();
    expect(await miss()).toEqual([]);
    clock.advance(minute);
    await register();
    expect(await miss()).toEqual([]);
    expect((await row()).lastSeenAt).toEqual(clock.now());
    clock.advance(minute);
    await register();
    expect(await miss()).toEqual([connectionId]);
    expect((await row()).lastSeenAt).toEqual(since);
  });

  it('counts its misses anew once it has answered', async () => {
    const { row, miss, connectionId } = await registered();
    await miss();
    clock.advance(2 * minute);
    await touchRunners(test.engine, [connectionId]);
    expect(await miss()).toEqual([]);
    expect((await row()).lastSeenAt).toEqual(clock.now());
  });

  it('counts its misses anew at another address', async () => {
    const { row, miss } = await registered();
    await miss();
    clock.advance(2 * minute);
    const { projectId } = await row();
    const registration = { app: 'shop', runner: 'r1', url: 'http://127.0.0.1:10/', workflows: [{ name: 'order' }] };
    await registerRunner(test.engine, { projectId, registration });
    const { connectionId } = await row();
    expect(await missedRunners(test.engine, [connectionId])).toEqual([]);
    expect((await row()).lastSeenAt).toEqual(clock.now());
  });
});
