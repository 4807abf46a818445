import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { newId } from '../../../src/engine/ids.ts';
import { openSecret } from '../../../src/engine/projects/index.ts';
import {
  disconnectRunners,
  listHttpRunners,
  registerRunner,
  touchRunners,
} from '../../../src/engine/registry/index.ts';
import { strayConnections } from '../../../src/engine/routing/index.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
let test: TestEngine;
let projectId: string;

beforeAll(async () => {
  test = await createTestEngine({ clock });
});
afterAll(() => test.close());
beforeEach(async () => {
  projectId = await createTestProject(test);
});

const body = (extra: object = {}): object => ({
  app: 'shop',
  runner: 'r1',
  url: 'http://127.0.0.1:9/invoke',
  workflows: [{ name: 'pay' }],
  ...extra,
});

const register = (extra: object = {}) => registerRunner(test.engine, { projectId, registration: body(extra) });

function connect(extra: object = {}) {
  const connection = { dispatcherId: newId(), connectionId: newId() };
  const registered = registerRunner(test.engine, { projectId, registration: body(extra), connection });
  return { connection, registered };
}

const version = async (): Promise<bigint> =>
  (await test.db.prisma.project.findUniqueOrThrow({ where: { id: projectId } })).registryVersion;

const workflows = () =>
  test.db.prisma.workflow.findMany({
    where: { projectId },
    orderBy: { name: 'asc' },
    include: { schedules: { orderBy: { cron: 'asc' } } },
  });

const runners = () => test.db.prisma.runner.findMany({ where: { projectId }, orderBy: { runnerId: 'asc' } });

describe('registering a runner over HTTP', () => {
  it('answers what it is known as, and a secret that is made once per app and sealed', async () => {
    const answer = await register({ workflows: [{ name: 'b' }, { name: 'a' }] });
    expect(answer).toEqual({
      runnerId: 'r1',
      app: 'shop',
      workflows: ['b', 'a'],
      protocolVersion: 1,
      invokeSecret: expect.stringMatching(/^whsec_/),
    });
    const again = await register({ runner: 'r2' });
    expect(again.invokeSecret).toBe(answer.invokeSecret);
    const other = await register({ app: 'other' });
    expect(other.invokeSecret).not.toBe(answer.invokeSecret);
    const [secret] = await test.db.prisma.sealedSecret.findMany({ where: { projectId, name: 'shop' } });
    expect(Buffer.from(secret?.sealed ?? []).includes(answer.invokeSecret)).toBe(false);
    expect(() => openSecret({ settings: { operatorKey: 'another' } }, secret?.sealed ?? Buffer.of())).toThrow();
  });

  it('answers another secret, and goes on answering it, after the operator key was changed', async () => {
    const { invokeSecret: lost } = await register();
    const rekeyed = { ...test.engine, settings: { ...test.engine.settings, operatorKey: 'another operator key' } };
    const again = () => registerRunner(rekeyed, { projectId, registration: body() });
    const { invokeSecret } = await again();
    expect(invokeSecret).toMatch(/^whsec_/);
    expect(invokeSecret).not.toBe(lost);
    expect((await again()).invokeSecret).toBe(invokeSecret);
  });

  it('stores the app, the definition with its defaults, every version, and the runner as reported', async () => {
    const definition = {
      name: 'pay',
      triggers: [{ event: 'order/*', if: 'data.n > 1' }, { cron: '0 * * * *' }],
      retry: { maxAttempts: 4 },
      onFailure: true,
      concurrency: { limit: 2, key: 'a.b' },
      singleton: {},
      steps: [{ name: 's', hidden: true }],
    };
    const metadata = {
      runtime: 'node',
      language: 'ts',
      sdkName: '@holdfast/sdk',
      version: '1.2.3',
      framework: 'express',
      region: 'eu',
    };
    await register({ ...metadata, maxInFlight: 7, workflows: [definition] });
    const [stored] = await workflows();
    expect(stored).toMatchObject({
      app: 'shop',
      name: 'pay',
      maxAttempts: 4,
      backoff: 'exponential',
      initialDelayMs: 1000n,
      maxDelayMs: 300_000n,
      onFailure: true,
      triggers: definition.triggers,
      flowControl: { concurrency: { limit: 2, key: 'a.b' }, singleton: {} },
      steps: definition.steps,
      schedules: [{ cron: '0 * * * *', nextFireAt: new Date('2026-01-01T01:00:00Z'), lastFiredAt: null }],
    });
    expect(await test.db.prisma.workflowVersion.count({ where: { projectId, version: stored?.version ?? '' } })).toBe(
      1,
    );
    expect(await test.db.prisma.app.findMany({ where: { projectId } })).toMatchObject([{ name: 'shop' }]);
    expect(await runners()).toMatchObject([
      {
        runnerId: 'r1',
        transport: 'http',
        url: 'http://127.0.0.1:9/invoke',
        ...metadata,
        maxInFlight: 7,
        workflows: ['pay'],
        connected: true,
      },
    ]);
    const snapshot = await test.engine.registry.snapshot(projectId);
    expect(snapshot.workflow('shop', 'pay')).toMatchObject({ version: stored?.version, retry: { maxAttempts: 4 } });
  });

  it('knows a runner without an id by its URL', async () => {
    expect(await register({ runner: undefined })).toMatchObject({ runnerId: 'http://127.0.0.1:9/invoke' });
    expect(await register({ runner: '' })).toMatchObject({ runnerId: 'http://127.0.0.1:9/invoke' });
    expect(await runners()).toHaveLength(1);
  });

  it('changes nothing when the same runner registers the same again, save that it was seen', async () => {
    await register();
    const before = { version: await version(), workflows: await workflows(), runners: await runners() };
    clock.advance(60_000);
    await register();
    expect(await version()).toBe(before.version);
    expect(await workflows()).toEqual(before.workflows);
    expect(await runners()).toEqual(
      before.runners.map((each) => ({ ...each, lastSeenAt: clock.now(), registeredAt: each.registeredAt })),
    );
  });

  it('is news again from a runner that was past the liveness window', async () => {
    await register();
    const before = await version();
    clock.advance(90_000);
    await register();
    expect(await version()).toBe(before + 1n);
  });

  it("replaces the runner's list of workflows, and leaves listed what no runner serves any more", async () => {
    await register({ workflows: [{ name: 'a' }, { name: 'b' }] });
    const before = await version();
    await register({ workflows: [{ name: 'b' }] });
    expect((await runners())[0]?.workflows).toEqual(['b']);
    expect((await workflows()).map((each) => each.name)).toEqual(['a', 'b']);
    expect(await version()).toBe(before + 1n);
  });

  it('updates a definition in place, and only one that changed', async () => {
    await register({ workflows: [{ name: 'a' }, { name: 'b' }] });
    const [a, b] = await workflows();
    clock.advance(1000);
    await register({
      workflows: [
        { name: 'a', retry: { maxAttempts: 2 } },
        { name: 'b', retry: { backoff: 'exponential' } },
      ],
    });
    const [changed, same] = await workflows();
    expect(changed).toMatchObject({ id: a?.id, registeredAt: a?.registeredAt, updatedAt: clock.now(), maxAttempts: 2 });
    expect(changed?.version).not.toBe(a?.version);
    expect(same).toEqual(b);
    expect(await test.db.prisma.workflowVersion.count({ where: { projectId, name: 'a' } })).toBe(2);
  });

  it('adds, removes and keeps schedules as a definition changes', async () => {
    const crons = (...list: string[]) =>
      register({ workflows: [{ name: 'a', triggers: list.map((cron) => ({ cron })) }] });
    await crons('0 * * * *', '30 * * * *', '30 * * * *');
    const [before] = await workflows();
    expect(before?.schedules.map((each) => each.cron)).toEqual(['0 * * * *', '30 * * * *']);
    await test.db.prisma.cronSchedule.updateMany({ where: { cron: '0 * * * *' }, data: { nextFireAt: new Date(5) } });
    await crons('0 * * * *', '15 * * * *');
    const [after] = await workflows();
    expect(after?.schedules.map((each) => each.cron)).toEqual(['0 * * * *', '15 * * * *']);
    expect(after?.schedules[0]).toMatchObject({ id: before?.schedules[0]?.id, nextFireAt: new Date(5) });
    await register({ workflows: [{ name: 'a', triggers: [{ event: 'e' }] }] });
    expect((await workflows())[0]?.schedules).toEqual([]);
  });

  it('wakes whoever waits for the next schedule', async () => {
    const due: number[] = [];
    const off = test.engine.bus.on('work.due', ({ inMs }) => due.push(inMs));
    await register({ workflows: [{ name: 'a', triggers: [{ cron: '*/10 * * * * *' }] }] });
    off();
    expect(due).toEqual([10_000 - (clock.now().getTime() % 10_000)]);
  });

  it('registers nothing when anything is malformed', async () => {
    const registration = body({ workflows: [{ name: 'good' }, { name: 'bad', concurrency: { limit: 0 } }] });
    await expect(registerRunner(test.engine, { projectId, registration })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'workflow "bad": concurrency.limit must be an integer from 1 to 2147483647',
    });
    expect(await workflows()).toEqual([]);
    expect(await runners()).toEqual([]);
  });

  it('registers nothing when the transaction fails half-way', async () => {
    onFailPoint((point) => {
      if (point === 'putRunners:after') throw new Error('dead');
    });
    await expect(register()).rejects.toThrow('dead');
    onFailPoint(undefined);
    expect(await workflows()).toEqual([]);
    expect(await test.db.prisma.app.count({ where: { projectId } })).toBe(0);
    await register();
    expect(await workflows()).toHaveLength(1);
  });

  it('demands a URL that may be called', async () => {
    await expect(register({ url: undefined })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'url must be an http or https URL',
    });
    const strict = { ...test.engine, settings: { ...test.engine.settings, allowPrivateTargets: false } };
    await expect(registerRunner(strict, { projectId, registration: body() })).rejects.toMatchObject({
      kind: 'invalid',
      message: /private/,
    });
    expect(await runners()).toEqual([]);
  });

  it('of an unknown project is refused', async () => {
    await expect(registerRunner(test.engine, { projectId: newId(), registration: body() })).rejects.toMatchObject({
      kind: 'notFound',
    });
  });

  it('keeps projects apart', async () => {
    const other = await createTestProject(test);
    await register();
    await registerRunner(test.engine, { projectId: other, registration: body({ workflows: [{ name: 'theirs' }] }) });
    expect((await workflows()).map((each) => each.name)).toEqual(['pay']);
    expect((await test.engine.registry.snapshot(other)).workflow('shop', 'pay')).toBeUndefined();
  });
});

describe('registering a connected runner', () => {
  it('lists it under a conn:// URL and the framework connect', async () => {
    const { connection, registered } = connect({ framework: 'express', url: undefined });
    expect(await registered).toEqual({
      runnerId: 'r1',
      app: 'shop',
      workflows: ['pay'],
      protocolVersion: 1,
      replaced: undefined,
    });
    expect(await runners()).toMatchObject([
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
    const first = connect({ runner: undefined });
    expect(await first.registered).toMatchObject({ runnerId: `conn://${first.connection.connectionId}` });
    await connect({ runner: undefined }).registered;
    expect(await runners()).toHaveLength(2);
    clock.advance(86_400_001);
    await connect({ runner: undefined }).registered;
    expect(await runners()).toHaveLength(1);
  });

  it('replaces an open connection of the same app and id, and says which', async () => {
    const first = connect();
    await first.registered;
    const second = connect();
    expect(await second.registered).toMatchObject({ replaced: first.connection });
    expect(await runners()).toMatchObject([second.connection]);
    expect(await connect({ app: 'other' }).registered).toMatchObject({ replaced: undefined });
    await disconnectRunners(test.engine, [second.connection.connectionId]);
    expect(await connect().registered).toMatchObject({ replaced: undefined });
  });

  it('lets of two that come at the same instant the later replace the earlier', async () => {
    const racers = Array.from({ length: 5 }, () => connect());
    const answers = await Promise.all(racers.map((each) => each.registered));
    expect(answers.map((each) => each.replaced)).toEqual([
      undefined,
      ...racers.slice(0, -1).map((each) => each.connection),
    ]);
    expect(await runners()).toMatchObject([racers.at(-1)?.connection]);
  });

  it('takes the place of an HTTP runner of its id, and the other way round', async () => {
    await register();
    const { registered } = connect();
    expect(await registered).toMatchObject({ replaced: undefined });
    await register();
    expect(await runners()).toMatchObject([{ transport: 'http', dispatcherId: null }]);
  });
});

describe('a connected runner that is entered anew, as its dispatcher stood still', () => {
  const enterAnew = (connection: { dispatcherId: string; connectionId: string }, extra: object) =>
    registerRunner(test.engine, { projectId, registration: body(extra), connection, isReturn: true });
  const old = { runner: 'old', workflows: [{ name: 'pay', triggers: [{ cron: '0 0 * * *' }] }, { name: 'refund' }] };

  it('brings no definition back that was replaced meanwhile, nor its schedules', async () => {
    const { connection, registered } = connect(old);
    await registered;
    await connect({ runner: 'new', workflows: [{ name: 'pay', triggers: [{ cron: '5 5 * * *' }] }] }).registered;
    await disconnectRunners(test.engine, [connection.connectionId]);
    const before = await workflows();
    const dispatcherId = newId();
    await enterAnew({ ...connection, dispatcherId }, old);
    expect(await workflows()).toEqual(before);
    expect(before[0]?.schedules).toMatchObject([{ cron: '5 5 * * *' }]);
    const [, entered] = await runners();
    expect(entered).toMatchObject({ runnerId: 'old', connected: true, dispatcherId, workflows: ['pay', 'refund'] });
  });

  it('brings back those that are not registered at all', async () => {
    const { connection, registered } = connect(old);
    await registered;
    await test.db.prisma.workflow.deleteMany({ where: { projectId, name: 'refund' } });
    await enterAnew(connection, old);
    expect((await workflows()).map(({ name }) => name)).toEqual(['pay', 'refund']);
  });

  it('leaves what others register at the same time in force', async () => {
    const { connection, registered } = connect(old);
    await registered;
    const fresh = connect({ runner: 'new', workflows: [{ name: 'pay' }] });
    await Promise.all([fresh.registered, enterAnew(connection, old)]);
    expect((await workflows())[0]).toMatchObject({ name: 'pay', triggers: null, schedules: [] });
  });
});

describe('runners that come and go', () => {
  it('are not connected once their socket closed, unless another took its place', async () => {
    const first = connect();
    await first.registered;
    const second = connect();
    await second.registered;
    const before = await version();
    await disconnectRunners(test.engine, [first.connection.connectionId]);
    expect(await runners()).toMatchObject([{ connected: true }]);
    expect(await version()).toBe(before);
    await disconnectRunners(test.engine, [second.connection.connectionId]);
    expect(await runners()).toMatchObject([{ connected: false, dispatcherId: null, runnerId: 'r1' }]);
    expect(await version()).toBe(before + 1n);
    expect((await test.engine.registry.snapshot(projectId)).runners).toMatchObject([{ connected: false }]);
    await disconnectRunners(test.engine, []);
  });

  it('are told from those that lost their place to another, and from those that nobody stands for', async () => {
    const first = connect();
    await first.registered;
    const standing = ({ connection: { connectionId } }: typeof first) => ({
      connectionId,
      projectId,
      app: 'shop',
      runnerId: 'r1',
    });
    const none = new Set();
    expect(await strayConnections(test.engine, [standing(first)])).toEqual({ replaced: none, forgotten: none });
    const second = connect();
    await second.registered;
    const replaced = new Set([first.connection.connectionId]);
    const both = [standing(first), standing(second)];
    expect(await strayConnections(test.engine, both)).toEqual({ replaced, forgotten: none });
    await disconnectRunners(test.engine, [second.connection.connectionId]);
    const forgotten = new Set(both.map(({ connectionId }) => connectionId));
    expect(await strayConnections(test.engine, both)).toEqual({ replaced: none, forgotten });
  });

  it('move their lastSeenAt when touched, without making anybody read definitions again', async () => {
    const { connection, registered } = connect();
    await registered;
    const before = await version();
    clock.advance(30_000);
    await touchRunners(test.engine, [connection.connectionId, newId()]);
    await touchRunners(test.engine, []);
    expect(await runners()).toMatchObject([{ lastSeenAt: clock.now() }]);
    expect(await version()).toBe(before);
    await disconnectRunners(test.engine, [connection.connectionId]);
    clock.advance(30_000);
    await touchRunners(test.engine, [connection.connectionId]);
    expect((await runners())[0]?.lastSeenAt).not.toEqual(clock.now());
  });

  it('are listed for probing when they registered a URL and were heard of within a day', async () => {
    await register({ workflows: [{ name: 'a' }, { name: 'b' }], maxInFlight: 3 });
    await connect({ runner: 'socket' }).registered;
    clock.advance(5000);
    const mine = async () => (await listHttpRunners(test.engine)).filter((each) => each.projectId === projectId);
    expect(await mine()).toEqual([
      {
        projectId,
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
  it('register the same and different definitions without a deadlock, each as a whole', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `w${index}`);
    const registrations = Array.from({ length: 40 }, (_, index) => {
      const list = index % 2 ? [...names].reverse() : names;
      const maxAttempts = (index % 4) + 1;
      return register({
        app: `app${index % 3}`,
        runner: `r${index}`,
        workflows: list.map((name) => ({ name, retry: { maxAttempts } })),
      });
    });
    await Promise.all(registrations);
    for (const app of ['app0', 'app1', 'app2']) {
      const attempts = (await workflows()).filter((each) => each.app === app).map((each) => each.maxAttempts);
      expect(attempts).toHaveLength(30);
      expect(new Set(attempts).size).toBe(1);
    }
    expect(await runners()).toHaveLength(40);
  });

  it('do so from several processes, too', async () => {
    const others = await Promise.all([createSecondEngine(), createSecondEngine()]);
    const engines = [test.engine, ...others];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const engine = engines[index % 3] ?? test.engine;
        const connection = { dispatcherId: newId(), connectionId: newId() };
        const workflowList = [
          { name: 'a', retry: { maxAttempts: (index % 5) + 1 } },
          { name: 'b', triggers: [{ cron: '* * * * *' }] },
        ];
        const registration = body({
          runner: `r${index % 10}`,
          workflows: index % 2 ? workflowList : [...workflowList].reverse(),
        });
        const registered = registerRunner(engine, { projectId, registration, connection });
        return index % 7 ? registered : registered.then(() => disconnectRunners(engine, [connection.connectionId]));
      }),
    );
    expect(await runners()).toHaveLength(10);
    expect((await workflows()).map((each) => each.schedules.length)).toEqual([0, 1]);
  });

  it('come back together at the cost of a few transactions', async () => {
    const all = () =>
      Promise.all(Array.from({ length: 2000 }, (_, index) => connect({ runner: `r${index}` }).registered));
    await all();
    const before = await version();
    await all();
    expect(Number((await version()) - before)).toBeLessThanOrEqual(25);
    expect(await runners()).toHaveLength(2000);
  });
});

/** The same database, as another process sees it. */
async function createSecondEngine() {
  return { ...test.engine };
}
