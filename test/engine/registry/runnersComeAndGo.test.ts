import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { newId } from '../../../src/engine/ids.ts';
import {
  disconnectRunners,
  listHttpRunners,
  nextConnectionNo,
  registerRunner,
  strayConnections,
  touchRunners,
} from '../../../src/engine/runners/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene, type Scene, shop } from './scene.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
const test = useEngine({ clock });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});

describe('runners that connect and disconnect', () => {
  it('are not connected after their socket closed, unless another replaced it', async () => {
    const first = await scene.connect();
    await first.registered;
    const second = await scene.connect();
    await second.registered;
    const before = await scene.version();
    await disconnectRunners(test.engine, [first.connection.connectionId]);
    expect(await scene.runners()).toMatchObject([{ connected: true }]);
    expect(await scene.version()).toBe(before);
    await disconnectRunners(test.engine, [second.connection.connectionId]);
    expect(await scene.runners()).toMatchObject([{ connected: false, dispatcherId: null, runnerId: 'r1' }]);
    expect(await scene.version()).toBe(before + 1n);
    expect((await test.engine.registry.snapshot(scene.projectId)).runners).toMatchObject([{ connected: false }]);
    await disconnectRunners(test.engine, []);
  });

  it('differ from displaced runners, and from runners without a connection', async () => {
    const first = await scene.connect();
    await first.registered;
    const standing = ({ connection }: typeof first) => ({
      ...connection,
      projectId: scene.projectId,
      app: 'shop',
      runnerId: 'r1',
    });
    const none = new Set();
    expect(await strayConnections(test.engine, [standing(first)])).toEqual({ replaced: none, forgotten: none });
    const second = await scene.connect();
    await second.registered;
    const replaced = new Set([first.connection.connectionId]);
    const both = [standing(first), standing(second)];
    expect(await strayConnections(test.engine, both)).toEqual({ replaced, forgotten: none });
    await disconnectRunners(test.engine, [second.connection.connectionId]);
    const forgotten = new Set(both.map(({ connectionId }) => connectionId));
    expect(await strayConnections(test.engine, both)).toEqual({ replaced: none, forgotten });
  });

  it('differ from runners under an earlier id of their dispatcher', async () => {
    const { connection, registered } = await scene.connect();
    await registered;
    const open = { ...connection, projectId: scene.projectId, app: 'shop', runnerId: 'r1', dispatcherId: newId() };
    const forgotten = new Set([connection.connectionId]);
    expect(await strayConnections(test.engine, [open])).toEqual({ replaced: new Set(), forgotten });
  });

  it('move their lastSeenAt when touched, without a new read of definitions', async () => {
    const { connection, registered } = await scene.connect();
    await registered;
    const before = await scene.version();
    clock.advance(30_000);
    await touchRunners(test.engine, [connection.connectionId, newId()]);
    await touchRunners(test.engine, []);
    expect(await scene.runners()).toMatchObject([{ lastSeenAt: clock.now() }]);
    expect(await scene.version()).toBe(before);
    await disconnectRunners(test.engine, [connection.connectionId]);
    clock.advance(30_000);
    await touchRunners(test.engine, [connection.connectionId]);
    expect((await scene.runners())[0]?.lastSeenAt).not.toEqual(clock.now());
  });

  it('are announced when they are seen again after they counted as gone', async () => {
    const { connection, registered } = await scene.connect();
    await registered;
    const told: string[] = [];
    const unsubscribe = test.engine.bus.on('registry.changed', ({ projectId }) => told.push(projectId));
    clock.advance(test.engine.settings.runnerLivenessMs - 1);
    await touchRunners(test.engine, [connection.connectionId]);
    expect(told).toEqual([]);
    clock.advance(test.engine.settings.runnerLivenessMs);
    await touchRunners(test.engine, [connection.connectionId]);
    unsubscribe();
    expect(told).toEqual([scene.projectId]);
  });

  it('are listed for probing if they registered a URL and were seen within a day', async () => {
    await scene.register({ workflows: [{ name: 'a' }, { name: 'b' }], maxInFlight: 3 });
    await (await scene.connect({ runner: 'socket' })).registered;
    clock.advance(5000);
    const mine = async () => (await listHttpRunners(test.engine)).filter((each) => each.projectId === scene.projectId);
    expect(await mine()).toEqual([
      {
        projectId: scene.projectId,
        app: 'shop',
        runnerId: 'r1',
        connectionId: expect.any(String),
        url: 'http://127.0.0.1:9/invoke',
        workflows: ['a', 'b'],
        maxInFlight: 3,
        silentMs: 5000,
      },
    ]);
    clock.advance(86_400_000);
    expect(await mine()).toEqual([]);
  });
});

describe('many runners at once', () => {
  it('R1, R2: register the same and different definitions without a deadlock, each as a whole', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `w${index}`);
    const registrations = Array.from({ length: 40 }, (_, index) => {
      const list = index % 2 ? [...names].reverse() : names;
      const maxAttempts = (index % 4) + 1;
      return scene.register({
        app: `app${index % 3}`,
        runner: `r${index}`,
        workflows: list.map((name) => ({ name, retry: { maxAttempts } })),
      });
    });
    await Promise.all(registrations);
    for (const app of ['app0', 'app1', 'app2']) {
      const attempts = (await scene.workflows()).filter((each) => each.app === app).map((each) => each.maxAttempts);
      expect(attempts).toHaveLength(30);
      expect(new Set(attempts).size).toBe(1);
    }
    expect(await scene.runners()).toHaveLength(40);
  });

  it('do so from several processes, too', async () => {
    // Each engine batches registrations. A copy of the engine has its own batch, like another
    // process.
    const engines = [test.engine, { ...test.engine }, { ...test.engine }];
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const engine = engines[index % 3] ?? test.engine;
        const connectionNo = await nextConnectionNo(engine);
        const connection = { dispatcherId: newId(), connectionId: newId(), connectionNo };
        const workflowList = [
          { name: 'a', retry: { maxAttempts: (index % 5) + 1 } },
          { name: 'b', triggers: [{ cron: '* * * * *' }] },
        ];
        const registration = shop({
          runner: `r${index % 10}`,
          workflows: index % 2 ? workflowList : [...workflowList].reverse(),
        });
        const registered = registerRunner(engine, { projectId: scene.projectId, registration, connection });
        return index % 7 ? registered : registered.then(() => disconnectRunners(engine, [connection.connectionId]));
      }),
    );
    expect(await scene.runners()).toHaveLength(10);
    expect((await scene.workflows()).map((each) => each.schedules.length)).toEqual([0, 1]);
  });

  it('R3: reconnect together at the cost of a few transactions', async () => {
    const all = () =>
      Promise.all(
        Array.from({ length: 2000 }, async (_, index) => (await scene.connect({ runner: `r${index}` })).registered),
      );
    await all();
    const before = await scene.version();
    await all();
    expect(Number((await scene.version()) - before)).toBeLessThanOrEqual(25);
    expect(await scene.runners()).toHaveLength(2000);
  });
});
