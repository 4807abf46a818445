import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { newId } from '../../../src/engine/ids.ts';
import {
  disconnectRunners,
  nextConnectionNo,
  type RunnerConnection,
  registerRunner,
} from '../../../src/engine/runners/index.ts';
import { beginRegistration } from '../../../src/engine/runners/sql/beginRegistration.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene, type Scene, shop } from './scene.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
const test = useEngine({ clock });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});

/** A connection as it is stored. */
const row = ({ connectionNo, ...connection }: RunnerConnection) => ({
  ...connection,
  connectionNo: BigInt(connectionNo),
});

type Racer = Awaited<ReturnType<typeof prepare>>;

/** A connection that has its number, and says hello later. */
async function prepare(extra: object = {}) {
  const connectionNo = await nextConnectionNo(test.engine);
  const connection = { dispatcherId: newId(), connectionId: newId(), connectionNo };
  const registration = shop(extra);
  return {
    connection,
    register: (engine = test.engine) =>
      registerRunner(engine, { projectId: scene.projectId, registration, connection }),
  };
}

describe('registering a connected runner', () => {
  it('lists it under a conn:// URL and the framework connect', async () => {
    const { connection, registered } = await scene.connect({ framework: 'express', url: undefined });
    expect(await registered).toEqual({
      runnerId: 'r1',
      app: 'shop',
      workflows: ['pay'],
      protocolVersion: 1,
      isEntered: true,
    });
    expect(await scene.runners()).toMatchObject([
      {
        ...row(connection),
        transport: 'connect',
        framework: 'connect',
        url: `conn://${connection.connectionId}`,
        maxInFlight: 100,
      },
    ]);
  });

  it('keys one without an id by its connection, and forgets it a day after it was last seen', async () => {
    const first = await scene.connect({ runner: undefined });
    expect(await first.registered).toMatchObject({ runnerId: `conn://${first.connection.connectionId}` });
    await (await scene.connect({ runner: undefined })).registered;
    expect(await scene.runners()).toHaveLength(2);
    clock.advance(86_400_001);
    await (await scene.connect({ runner: undefined })).registered;
    expect(await scene.runners()).toHaveLength(1);
  });

  it('replaces an open connection of the same app and id, in no other app', async () => {
    const first = await scene.connect();
    await first.registered;
    const second = await scene.connect();
    expect(await second.registered).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([row(second.connection)]);
    await (await scene.connect({ app: 'other' })).registered;
    const ofShop = (await scene.runners()).filter(({ app }) => app === 'shop');
    expect(ofShop).toMatchObject([row(second.connection)]);
  });

  it('R5, W1: the newest of several that say hello at the same instant represents the runner', async () => {
    const racers = [];
    for (let count = 0; count < 5; count += 1) racers.push(await prepare());
    const [a, b, c, d, e] = racers as [Racer, Racer, Racer, Racer, Racer];
    const answers = await Promise.all([c, a, e, b, d].map((racer) => racer.register()));
    expect(answers.map(({ isEntered }) => isEntered)).toEqual([true, false, true, false, false]);
    expect(await scene.runners()).toMatchObject([row(e.connection)]);
  });

  it('replaces an HTTP runner of its id, and the other way round', async () => {
    await scene.register();
    const { registered } = await scene.connect();
    expect(await registered).toMatchObject({ isEntered: true });
    await scene.register();
    expect(await scene.runners()).toMatchObject([{ transport: 'http', dispatcherId: null }]);
  });
});

describe('a hello that comes after that of a newer connection', () => {
  it('R5: is refused, and its definitions do not take effect', async () => {
    const late = await prepare({ workflows: [{ name: 'pay', triggers: [{ event: 'old' }] }, { name: 'late' }] });
    await (await prepare()).register();
    const before = [await scene.runners(), await scene.workflows(), await scene.version()];
    expect(await late.register()).toMatchObject({ isEntered: false });
    expect([await scene.runners(), await scene.workflows(), await scene.version()]).toEqual(before);
  });

  it('R5: does not displace the newer one, whichever of two processes is first', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [older, newer] = [await prepare(), await prepare()];
      const other = { ...test.engine };
      const hellos = [() => older.register(), () => newer.register(other)];
      await Promise.all((round % 2 ? hellos.reverse() : hellos).map((hello) => hello()));
      expect(await scene.runners()).toMatchObject([row(newer.connection)]);
    }
  });

  it('is registered if the newer one has left', async () => {
    const [late, newer] = [await prepare(), await prepare()];
    await newer.register();
    await disconnectRunners(test.engine, [newer.connection.connectionId]);
    expect(await late.register()).toMatchObject({ isEntered: true });
  });
});

describe('the number of a connection', () => {
  it('is higher than those that were drawn before, in this process or another', async () => {
    const other = { ...test.engine };
    const first = await Promise.all([1, 2, 3].map(() => nextConnectionNo(test.engine)));
    const second = await Promise.all([1, 2, 3].map(() => nextConnectionNo(other)));
    const third = await nextConnectionNo(test.engine);
    expect(new Set([...first, ...second, third]).size).toBe(7);
    expect(Math.min(...second)).toBeGreaterThan(Math.max(...first));
    expect(third).toBeGreaterThan(Math.max(...second));
  });

  it('is also drawn by a URL that registers', async () => {
    const before = await nextConnectionNo(test.engine);
    await scene.register();
    const [{ connectionNo } = { connectionNo: null }] = await scene.runners();
    expect(Number(connectionNo)).toBeGreaterThan(before);
  });
});

describe('a connected runner that is registered again after its dispatcher stood still', () => {
  const enterAnew = (connection: RunnerConnection, extra: object) =>
    registerRunner(test.engine, {
      projectId: scene.projectId,
      registration: shop(extra),
      connection,
      keepsDefinitions: true,
    });
  const old = { runner: 'old', workflows: [{ name: 'pay', triggers: [{ cron: '0 0 * * *' }] }, { name: 'refund' }] };

  it('W3: restores neither a definition that was replaced meanwhile, nor its schedules', async () => {
    const { connection, registered } = await scene.connect(old);
    await registered;
    await (await scene.connect({ runner: 'new', workflows: [{ name: 'pay', triggers: [{ cron: '5 5 * * *' }] }] }))
      .registered;
    await disconnectRunners(test.engine, [connection.connectionId]);
    const before = await scene.workflows();
    const dispatcherId = newId();
    await enterAnew({ ...connection, dispatcherId }, old);
    expect(await scene.workflows()).toEqual(before);
    expect(before[0]?.schedules).toMatchObject([{ cron: '5 5 * * *' }]);
    const [, entered] = await scene.runners();
    expect(entered).toMatchObject({ runnerId: 'old', connected: true, dispatcherId, workflows: ['pay', 'refund'] });
  });

  it('restores definitions that are not registered at all', async () => {
    const { connection, registered } = await scene.connect(old);
    await registered;
    await test.db.prisma.workflow.deleteMany({ where: { projectId: scene.projectId, name: 'refund' } });
    await enterAnew(connection, old);
    expect((await scene.workflows()).map(({ name }) => name)).toEqual(['pay', 'refund']);
  });

  it('does not change definitions that others register at the same time', async () => {
    const { connection, registered } = await scene.connect(old);
    await registered;
    const fresh = await scene.connect({ runner: 'new', workflows: [{ name: 'pay' }] });
    await Promise.all([fresh.registered, enterAnew(connection, old)]);
    expect((await scene.workflows())[0]).toMatchObject({ name: 'pay', triggers: null, schedules: [] });
  });
});

describe('a connection that ends while it waits for its registration', () => {
  const isSomebodyWaiting = async (): Promise<boolean> => {
    const { rows } = await test.db.query("select from pg_locks where locktype = 'advisory' and not granted");
    return rows.length > 0;
  };

  it('R5: is not registered, neither its definitions, and does not change the runner', async () => {
    const { connection, registered } = await scene.connect();
    await registered;
    const before = [await scene.runners(), await scene.workflows(), await scene.version()];
    let isGivenUp = false;
    const { projectId } = scene;
    const late = await test.engine.db.transaction(async (tx) => {
      await beginRegistration(tx, { projectId, now: null });
      const registration = shop({ workflows: [{ name: 'late' }] });
      const given = { ...connection, connectionId: newId(), connectionNo: connection.connectionNo + 1 };
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
    expect(await late.entering).toMatchObject({ isEntered: false });
    expect([await scene.runners(), await scene.workflows(), await scene.version()]).toEqual(before);
  });
});
