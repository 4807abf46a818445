import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { newId } from '../../../src/engine/ids.ts';
import { registerRunner } from '../../../src/engine/runners/index.ts';
import { openSecret } from '../../../src/engine/secrets/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { openScene, type Scene, shop } from '../registry/scene.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
const test = useEngine({ clock });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});

describe('registering a runner over HTTP', () => {
  it('answers the id of the runner, and a secret that is made once per app and sealed', async () => {
    const answer = await scene.register({ workflows: [{ name: 'b' }, { name: 'a' }] });
    expect(answer).toEqual({
      runnerId: 'r1',
      app: 'shop',
      workflows: ['b', 'a'],
      protocolVersion: 1,
      invokeSecret: expect.stringMatching(/^whsec_/),
    });
    const again = await scene.register({ runner: 'r2' });
    expect(again.invokeSecret).toBe(answer.invokeSecret);
    const other = await scene.register({ app: 'other' });
    expect(other.invokeSecret).not.toBe(answer.invokeSecret);
    const [secret] = await test.db.prisma.sealedSecret.findMany({
      where: { projectId: scene.projectId, name: 'shop' },
    });
    expect(Buffer.from(secret?.sealed ?? []).includes(answer.invokeSecret)).toBe(false);
    expect(() => openSecret({ settings: { operatorKey: 'another' } }, secret?.sealed ?? Buffer.of())).toThrow();
  });

  it('answers another secret, and keeps answering it, after the operator key was changed', async () => {
    const { invokeSecret: lost } = await scene.register();
    const rekeyed = { ...test.engine, settings: { ...test.engine.settings, operatorKey: 'another operator key' } };
    const again = () => registerRunner(rekeyed, { projectId: scene.projectId, registration: shop() });
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
    await scene.register({ ...metadata, maxInFlight: 7, workflows: [definition] });
    const [stored] = await scene.workflows();
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
    expect(
      await test.db.prisma.workflowVersion.count({
        where: { projectId: scene.projectId, version: stored?.version ?? '' },
      }),
    ).toBe(1);
    expect(await test.db.prisma.app.findMany({ where: { projectId: scene.projectId } })).toMatchObject([
      { name: 'shop' },
    ]);
    expect(await scene.runners()).toMatchObject([
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
    const snapshot = await test.engine.registry.snapshot(scene.projectId);
    expect(snapshot.workflow('shop', 'pay')).toMatchObject({ version: stored?.version, retry: { maxAttempts: 4 } });
  });

  it('knows a runner without an id by its URL', async () => {
    expect(await scene.register({ runner: undefined })).toMatchObject({ runnerId: 'http://127.0.0.1:9/invoke' });
    expect(await scene.register({ runner: '' })).toMatchObject({ runnerId: 'http://127.0.0.1:9/invoke' });
    expect(await scene.runners()).toHaveLength(1);
  });

  it('R4: changes only lastSeenAt if the same runner registers the same again', async () => {
    await scene.register();
    const before = {
      version: await scene.version(),
      workflows: await scene.workflows(),
      runners: await scene.runners(),
    };
    clock.advance(60_000);
    await scene.register();
    expect(await scene.version()).toBe(before.version);
    expect(await scene.workflows()).toEqual(before.workflows);
    expect(await scene.runners()).toEqual(
      before.runners.map((each) => ({ ...each, lastSeenAt: clock.now(), registeredAt: each.registeredAt })),
    );
  });

  it('is announced again for a runner that was past the liveness window', async () => {
    await scene.register();
    const before = await scene.version();
    clock.advance(90_000);
    await scene.register();
    expect(await scene.version()).toBe(before + 1n);
  });

  it("replaces the runner's list of workflows, and leaves listed what no runner serves any more", async () => {
    await scene.register({ workflows: [{ name: 'a' }, { name: 'b' }] });
    const before = await scene.version();
    await scene.register({ workflows: [{ name: 'b' }] });
    expect((await scene.runners())[0]?.workflows).toEqual(['b']);
    expect((await scene.workflows()).map((each) => each.name)).toEqual(['a', 'b']);
    expect(await scene.version()).toBe(before + 1n);
  });

  it('updates a definition in place, and only one that changed', async () => {
    await scene.register({ workflows: [{ name: 'a' }, { name: 'b' }] });
    const [a, b] = await scene.workflows();
    clock.advance(1000);
    await scene.register({
      workflows: [
        { name: 'a', retry: { maxAttempts: 2 } },
        { name: 'b', retry: { backoff: 'exponential' } },
      ],
    });
    const [changed, same] = await scene.workflows();
    expect(changed).toMatchObject({ id: a?.id, registeredAt: a?.registeredAt, updatedAt: clock.now(), maxAttempts: 2 });
    expect(changed?.version).not.toBe(a?.version);
    expect(same).toEqual(b);
    expect(await test.db.prisma.workflowVersion.count({ where: { projectId: scene.projectId, name: 'a' } })).toBe(2);
  });

  it('adds, removes and keeps schedules as a definition changes', async () => {
    const crons = (...list: string[]) =>
      scene.register({ workflows: [{ name: 'a', triggers: list.map((cron) => ({ cron })) }] });
    await crons('0 * * * *', '30 * * * *', '30 * * * *');
    const [before] = await scene.workflows();
    expect(before?.schedules.map((each) => each.cron)).toEqual(['0 * * * *', '30 * * * *']);
    await test.db.prisma.cronSchedule.updateMany({ where: { cron: '0 * * * *' }, data: { nextFireAt: new Date(5) } });
    await crons('0 * * * *', '15 * * * *');
    const [after] = await scene.workflows();
    expect(after?.schedules.map((each) => each.cron)).toEqual(['0 * * * *', '15 * * * *']);
    expect(after?.schedules[0]).toMatchObject({ id: before?.schedules[0]?.id, nextFireAt: new Date(5) });
    await scene.register({ workflows: [{ name: 'a', triggers: [{ event: 'e' }] }] });
    expect((await scene.workflows())[0]?.schedules).toEqual([]);
  });

  it('wakes the wait for the next schedule', async () => {
    const due: number[] = [];
    const off = test.engine.bus.on('work.due', ({ inMs }) => due.push(inMs));
    await scene.register({ workflows: [{ name: 'a', triggers: [{ cron: '*/10 * * * * *' }] }] });
    off();
    expect(due).toEqual([10_000 - (clock.now().getTime() % 10_000)]);
  });

  it('registers nothing when anything is malformed', async () => {
    const registration = shop({ workflows: [{ name: 'good' }, { name: 'bad', concurrency: { limit: 0 } }] });
    await expect(registerRunner(test.engine, { projectId: scene.projectId, registration })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'workflow "bad": concurrency.limit must be an integer from 1 to 2147483647',
    });
    expect(await scene.workflows()).toEqual([]);
    expect(await scene.runners()).toEqual([]);
  });

  it('registers nothing when the transaction fails half-way', async () => {
    onFailPoint((point) => {
      if (point === 'putRunners:after') throw new Error('dead');
    });
    await expect(scene.register()).rejects.toThrow('dead');
    onFailPoint(undefined);
    expect(await scene.workflows()).toEqual([]);
    expect(await test.db.prisma.app.count({ where: { projectId: scene.projectId } })).toBe(0);
    await scene.register();
    expect(await scene.workflows()).toHaveLength(1);
  });

  it('requires a URL that may be called', async () => {
    await expect(scene.register({ url: undefined })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'url must be an http or https URL',
    });
    const strict = { ...test.engine, settings: { ...test.engine.settings, allowPrivateTargets: false } };
    await expect(registerRunner(strict, { projectId: scene.projectId, registration: shop() })).rejects.toMatchObject({
      kind: 'invalid',
      message: /private/,
    });
    expect(await scene.runners()).toEqual([]);
  });

  it('of an unknown project is refused', async () => {
    await expect(registerRunner(test.engine, { projectId: newId(), registration: shop() })).rejects.toMatchObject({
      kind: 'notFound',
    });
  });

  it('keeps projects apart', async () => {
    const other = await createTestProject(test);
    await scene.register();
    await registerRunner(test.engine, { projectId: other, registration: shop({ workflows: [{ name: 'theirs' }] }) });
    expect((await scene.workflows()).map((each) => each.name)).toEqual(['pay']);
    expect((await test.engine.registry.snapshot(other)).workflow('shop', 'pay')).toBeUndefined();
  });
});
