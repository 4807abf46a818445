import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertWorkflows, query, type Recording, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();
let recording: Recording;
let projectId: string;

beforeAll(async () => {
  recording = recordStatements(test.engine);
});
beforeEach(async () => {
  projectId = await createTestProject(test.engine);
});

const ask = (document: string) => query(recording.engine, secretKey(projectId), document);

const insertRunner = (app: string, runnerId: string, rest: { connected?: boolean; lastSeenAt?: Date } = {}) =>
  test.db.prisma.runner.create({
    data: {
      id: newId(),
      projectId,
      app,
      runnerId,
      transport: 'connect',
      url: `conn://${runnerId}`,
      framework: 'connect',
      workflows: ['a', 'b'],
      connectionId: newId(),
      ...rest,
    },
  });

describe('workflows', () => {
  const everything = `{ workflows { name app maxAttempts backoff onFailure triggers { event if cron } scheduled
    schedules { cron nextFireAt lastFiredAt isStale } steps { name description hidden } registeredAt updatedAt
    flowControl { concurrency { limit key } singleton { mode key } budget { windowMs maxCost maxTokens warnAtPct } debounce { periodMs } } } }`;

  it('are listed as a whole by app and name; what was not declared is null', async () => {
    await insertWorkflows(test.engine, projectId, [
      { app: 'b', name: 'x' },
      { app: 'a', name: 'z' },
      { app: 'a', name: 'y' },
    ]);
    const { workflows } = (await ask(everything)) as { workflows: { app: string; name: string }[] };
    expect(workflows.map(({ app, name }) => `${app}/${name}`)).toEqual(['a/y', 'a/z', 'b/x']);
    expect(workflows[0]).toMatchObject({
      maxAttempts: 1,
      backoff: 'EXPONENTIAL',
      triggers: null,
      scheduled: false,
      schedules: null,
      steps: null,
      flowControl: null,
    });
    expect(await ask('{ workflows(app: "b") { name } }')).toEqual({ workflows: [{ name: 'x' }] });
    expect(await ask('{ workflows(app: "b\\u0000") { name } }')).toEqual({ workflows: [] });
  });

  it('show triggers, schedules, policies and the step manifest as registered', async () => {
    await insertWorkflows(test.engine, projectId, [{ app: 'a', name: 'w' }]);
    const workflow = await test.db.prisma.workflow.update({
      where: { projectId_app_name: { projectId, app: 'a', name: 'w' } },
      data: {
        triggers: [{ event: 'order.*', if: 'event.data.n > 1' }, { cron: '0 * * * *' }],
        flowControl: {
          concurrency: { limit: 2, key: 'tenant.id' },
          singleton: {},
          budget: { windowMs: 2_592_000_000, maxCost: 0.5 },
        },
        steps: [{ name: 's', description: 'first', hidden: true }, { name: 't' }],
      },
    });
    const past = new Date(Date.now() - 61_000);
    await test.db.prisma.cronSchedule.create({
      data: { id: newId(), workflowId: workflow.id, cron: '0 * * * *', nextFireAt: past },
    });
    const { workflows } = (await ask(everything)) as { workflows: unknown[] };
    expect(workflows[0]).toMatchObject({
      triggers: [
        { event: 'order.*', if: 'event.data.n > 1', cron: null },
        { event: null, if: null, cron: '0 * * * *' },
      ],
      scheduled: true,
      schedules: [{ cron: '0 * * * *', nextFireAt: past.toISOString(), lastFiredAt: null, isStale: true }],
      flowControl: {
        concurrency: { limit: 2, key: 'tenant.id' },
        singleton: { mode: null, key: null },
        budget: { windowMs: 2_592_000_000, maxCost: 0.5, maxTokens: null, warnAtPct: null },
        debounce: null,
      },
      steps: [
        { name: 's', description: 'first', hidden: true },
        { name: 't', description: null, hidden: null },
      ],
    });
  });

  it('take as many statements for many as for one, and read only the columns asked for', async () => {
    await insertWorkflows(
      test.engine,
      projectId,
      Array.from({ length: 5 }, (_, n) => ({ app: 'a', name: `w${n}` })),
    );
    recording.clear();
    await ask('{ workflows { name scheduled schedules { cron } } }');
    expect(recording.statements.length).toBeLessThanOrEqual(3);
    recording.clear();
    await ask('{ workflows { name } }');
    expect(recording.statements).toHaveLength(1);
    expect(recording.statements[0]).not.toMatch(/flow_control|triggers|steps/);
  });
});

describe('apps and runners', () => {
  it('apps come by name', async () => {
    for (const name of ['b', 'a']) await test.db.prisma.app.create({ data: { projectId, name } });
    expect(await ask('{ apps { name } }')).toEqual({ apps: [{ name: 'a' }, { name: 'b' }] });
  });

  it('a runner is live while it is connected and was seen within the window; others stay listed', async () => {
    await insertRunner('a', '1');
    await insertRunner('a', '2', { connected: false });
    await insertRunner('b', '3', { lastSeenAt: new Date(Date.now() - 91_000) });
    expect(await ask('{ runners { app runnerId live url framework workflows region } }')).toEqual({
      runners: [
        {
          app: 'a',
          runnerId: '1',
          live: true,
          url: 'conn://1',
          framework: 'connect',
          workflows: ['a', 'b'],
          region: null,
        },
        {
          app: 'a',
          runnerId: '2',
          live: false,
          url: 'conn://2',
          framework: 'connect',
          workflows: ['a', 'b'],
          region: null,
        },
        {
          app: 'b',
          runnerId: '3',
          live: false,
          url: 'conn://3',
          framework: 'connect',
          workflows: ['a', 'b'],
          region: null,
        },
      ],
    });
    expect(await ask('{ runners(app: "b") { runnerId } }')).toEqual({ runners: [{ runnerId: '3' }] });
  });

  it('tell who is live by the clock of the database, however wrong that of the process is', async () => {
    await insertRunner('a', '1');
    const { db, log, settings } = test.engine;
    for (const awayMs of [-100_000, 100_000]) {
      const clock = { now: () => new Date(Date.now() + awayMs), sql: () => null };
      const engine = createEngine({ db, log, settings, clock });
      const lists = await query(engine, secretKey(projectId), '{ runners { live } }');
      expect(lists).toEqual({ runners: [{ live: true }] });
    }
    await test.db.prisma.runner.updateMany({
      where: { projectId },
      data: { lastSeenAt: new Date(Date.now() - 95_000) },
    });
    const clock = { now: () => new Date(Date.now() - 100_000), sql: () => null };
    const behind = createEngine({ db, log, settings, clock });
    expect(await query(behind, secretKey(projectId), '{ runners { live } }')).toEqual({ runners: [{ live: false }] });
  });
});
