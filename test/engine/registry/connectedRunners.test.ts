import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { newId } from '../../../src/engine/ids.ts';
import { disconnectRunners, registerRunner } from '../../../src/engine/runners/index.ts';
import { beginRegistration } from '../../../src/engine/runners/sql/beginRegistration.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene, type Scene, shop } from './scene.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
const test = useEngine({ clock });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});

describe('registering a connected runner', () => {
  it('lists it under a conn:// URL and the framework connect', async () => {
    const { connection, registered } = scene.connect({ framework: 'express', url: undefined });
    expect(await registered).toEqual({
      runnerId: 'r1',
      app: 'shop',
      workflows: ['pay'],
      protocolVersion: 1,
      isEntered: true,
      replaced: undefined,
    });
    expect(await scene.runners()).toMatchObject([
      {
        ...connection,
        transport: 'connect',
        framework: 'connect',
        url: `conn://${connection.connectionId}`,
        maxInFlight: 100,
      },
    ]);
  });

  it('keys one without an id by its connection, and forgets it a day after it was last seen', async () => {
    const first = scene.connect({ runner: undefined });
    expect(await first.registered).toMatchObject({ runnerId: `conn://${first.connection.connectionId}` });
    await scene.connect({ runner: undefined }).registered;
    expect(await scene.runners()).toHaveLength(2);
    clock.advance(86_400_001);
    await scene.connect({ runner: undefined }).registered;
    expect(await scene.runners()).toHaveLength(1);
  });

  it('replaces an open connection of the same app and id, and says which', async () => {
    const first = scene.connect();
    await first.registered;
    const second = scene.connect();
    expect(await second.registered).toMatchObject({ replaced: first.connection });
    expect(await scene.runners()).toMatchObject([second.connection]);
    expect(await scene.connect({ app: 'other' }).registered).toMatchObject({ replaced: undefined });
    await disconnectRunners(test.engine, [second.connection.connectionId]);
    expect(await scene.connect().registered).toMatchObject({ replaced: undefined });
  });

  it('lets of two that come at the same instant the later replace the earlier', async () => {
    const racers = Array.from({ length: 5 }, () => scene.connect());
    const answers = await Promise.all(racers.map((each) => each.registered));
    expect(answers.map((each) => each.replaced)).toEqual([
      undefined,
      ...racers.slice(0, -1).map((each) => each.connection),
    ]);
    expect(await scene.runners()).toMatchObject([racers.at(-1)?.connection]);
  });

  it('takes the place of an HTTP runner of its id, and the other way round', async () => {
    await scene.register();
    const { registered } = scene.connect();
    expect(await registered).toMatchObject({ replaced: undefined });
    await scene.register();
    expect(await scene.runners()).toMatchObject([{ transport: 'http', dispatcherId: null }]);
  });
});

describe('a connected runner that is registered again after its dispatcher was frozen', () => {
  const enterAnew = (connection: { dispatcherId: string; connectionId: string }, extra: object) =>
    registerRunner(test.engine, { projectId: scene.projectId, registration: shop(extra), connection, isReturn: true });
  const old = { runner: 'old', workflows: [{ name: 'pay', triggers: [{ cron: '0 0 * * *' }] }, { name: 'refund' }] };

  it('brings no definition back that was replaced meanwhile, nor its schedules', async () => {
    const { connection, registered } = scene.connect(old);
    await registered;
    await scene.connect({ runner: 'new', workflows: [{ name: 'pay', triggers: [{ cron: '5 5 * * *' }] }] }).registered;
    await disconnectRunners(test.engine, [connection.connectionId]);
    const before = await scene.workflows();
    const dispatcherId = newId();
    await enterAnew({ ...connection, dispatcherId }, old);
    expect(await scene.workflows()).toEqual(before);
    expect(before[0]?.schedules).toMatchObject([{ cron: '5 5 * * *' }]);
    const [, entered] = await scene.runners();
    expect(entered).toMatchObject({ runnerId: 'old', connected: true, dispatcherId, workflows: ['pay', 'refund'] });
  });

  it('restores those that are not registered at all', async () => {
    const { connection, registered } = scene.connect(old);
    await registered;
    await test.db.prisma.workflow.deleteMany({ where: { projectId: scene.projectId, name: 'refund' } });
    await enterAnew(connection, old);
    expect((await scene.workflows()).map(({ name }) => name)).toEqual(['pay', 'refund']);
  });

  it('leaves what others register at the same time in force', async () => {
    const { connection, registered } = scene.connect(old);
    await registered;
    const fresh = scene.connect({ runner: 'new', workflows: [{ name: 'pay' }] });
    await Promise.all([fresh.registered, enterAnew(connection, old)]);
    expect((await scene.workflows())[0]).toMatchObject({ name: 'pay', triggers: null, schedules: [] });
  });
});

describe('a connection that is given up while it waits to be entered', () => {
  const isSomebodyWaiting = async (): Promise<boolean> => {
    const { rows } = await test.db.query("select from pg_locks where locktype = 'advisory' and not granted");
    return rows.length > 0;
  };

  it('is not entered, neither its definitions, and leaves the runner where it is', async () => {
    const { connection, registered } = scene.connect();
    await registered;
    const before = [await scene.runners(), await scene.workflows(), await scene.version()];
    let isGivenUp = false;
    const { projectId } = scene;
    const late = await test.engine.db.transaction(async (tx) => {
      await beginRegistration(tx, { projectId, now: null });
      const registration = shop({ workflows: [{ name: 'late' }] });
      const given = { ...connection, connectionId: newId() };
      const entering = registerRunner(test.engine, {
        projectId,
        registration,
        connection: given,
        isGivenUp: () => isGivenUp,
      });
      await vi.waitFor(async () => expect(await isSomebodyWaiting()).toBe(true));
      isGivenUp = true;
      return { entering };
    });
    expect(await late.entering).toMatchObject({ isEntered: false, replaced: undefined });
    expect([await scene.runners(), await scene.workflows(), await scene.version()]).toEqual(before);
  });
});
