import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { newId } from '../../src/engine/ids.ts';
import type { Principal } from '../../src/engine/keys/index.ts';
import type { EngineLimits } from '../../src/engine/settings.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import {
  insertRun,
  insertWorkflows,
  publicKey,
  query,
  type Recording,
  recordStatements,
  secretKey,
} from './fixtures.ts';

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

  it('show the time limit of runs on a page of any length', async () => {
    const names = Array.from({ length: 5 }, (_, n) => `w${n}`);
    await insertWorkflows(
      test.engine,
      projectId,
      names.map((name) => ({ app: 'a', name })),
    );
    await test.db.prisma.workflow.updateMany({ where: { projectId }, data: { maxDurationMs: 60_000n } });
    const workflows = names.map((name) => ({ name, maxDuration: 60_000 }));
    expect(await ask('{ workflows { name maxDuration } }')).toEqual({ workflows });
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

describe('lists of the registry', () => {
  const names = Array.from({ length: 250 }, (_, n) => ({
    app: `app ${n % 2}`,
    name: `w${String(n).padStart(3, '0')}`,
  }));
  const limited = (limits: Partial<EngineLimits>): EngineContext => {
    const { settings } = recording.engine;
    return { ...recording.engine, settings: { ...settings, limits: { ...settings.limits, ...limits } } };
  };
  const places = (rows: unknown) => (rows as { app: string; name: string }[]).map(({ app, name }) => `${app}/${name}`);
  const wanted = names.map(({ app, name }) => `${app}/${name}`).sort();

  beforeEach(() => insertWorkflows(test.engine, projectId, names));

  it('are whole, and read by at most a hundred rows', async () => {
    recording.clear();
    const { workflows } = await ask('{ workflows { app name schedules { cron } } }');
    expect(places(workflows)).toEqual(wanted);
    const reads = recording.statements.filter((text) => text.includes('"workflow"') && !text.includes('cron_schedule'));
    // The second page goes on in the app of the first, the third ends in its own.
    expect(reads).toHaveLength(5);
    expect(recording.statements.length).toBeLessThanOrEqual(10);
  });

  it('come in pages too, with cursors that hold for the same list only', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      recording.clear();
      const page: Record<string, unknown> = await query(
        recording.engine,
        secretKey(projectId),
        `query ($after: String) { workflowPage(first: 70, after: $after) {
           nodes { app maxAttempts schedules { cron } } edges { node { app name } } pageInfo { hasNextPage endCursor } } }`,
        { after },
      );
      expect(recording.statements.length).toBeLessThanOrEqual(4);
      const { nodes, edges, pageInfo } = page['workflowPage'] as {
        nodes: { app: string; maxAttempts: number }[];
        edges: { node: unknown }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
      expect(nodes[0]).toMatchObject({ maxAttempts: 1, schedules: null });
      seen.push(...places(edges.map(({ node }) => node)));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      if (after !== null) {
        await expect(ask(`{ runnerPage(after: "${after}") { nodes { app } } }`)).rejects.toMatchObject({
          kind: 'invalid',
        });
      }
    } while (after !== null);
    expect(seen).toEqual(wanted);
    expect(await ask('{ workflowPage(app: "app 1", first: 1) { nodes { name } } }')).toEqual({
      workflowPage: { nodes: [{ name: 'w001' }] },
    });
    await expect(ask('{ appPage(first: 0) { nodes { name } } }')).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('are refused where they hold more objects than an answer may, and read no further', async () => {
    recording.clear();
    await expect(
      query(limited({ answerMaxObjects: 150 }), secretKey(projectId), '{ workflows { name } }'),
    ).rejects.toMatchObject({
      kind: 'invalid',
      message: 'the answer holds more than 150 objects: ask for fewer at once',
    });
    expect(recording.statements).toHaveLength(3);
  });

  it('are refused where they hold more text than an answer may, and read no further', async () => {
    recording.clear();
    await expect(
      query(limited({ answerMaxBytes: 3000 }), secretKey(projectId), '{ workflows { name } }'),
    ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('more than 3000 bytes') });
    expect(recording.statements).toHaveLength(1);
  });
});

describe('apps and runners', () => {
  it('come in pages, however long the names are that sort them', async () => {
    const app = '𝒶'.repeat(256);
    const urls = ['a', 'b'].map((letter) => `http://${'é'.repeat(2040)}${letter}`);
    for (const url of urls) await insertRunner(app, url);
    const first = await ask('{ runnerPage(first: 1) { nodes { runnerId } pageInfo { endCursor } } }');
    const { nodes, pageInfo } = first['runnerPage'] as { nodes: unknown[]; pageInfo: { endCursor: string } };
    expect(nodes).toEqual([{ runnerId: urls[0] }]);
    const second = await ask(`{ runnerPage(after: "${pageInfo.endCursor}") { nodes { runnerId } } }`);
    expect(second).toEqual({ runnerPage: { nodes: [{ runnerId: urls[1] }] } });
  });

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

describe('a runner whose id is a URL with a query', () => {
  const url = 'https://run.example/hook?code=s3cret';
  const cut = 'https://run.example/hook?…';

  it('is shown to public keys without the query, also in cursors, runs and events', async () => {
    for (const runnerId of [`${url}1`, `${url}2`])
      await test.db.prisma.runner.create({
        data: {
          id: newId(),
          projectId,
          app: 'a',
          runnerId,
          transport: 'http',
          url,
          framework: 'x',
          workflows: [],
          connectionId: newId(),
        },
      });
    const runId = await insertRun(test.engine, projectId);
    await test.db.query('update run set runner = $1 where id = $2', [url, runId]);
    await test.db.query(
      `insert into event (id, project_id, name, app, runner, source, triggered)
       values ($1, $2, 'x', 'a', $3, 'api', '[]')`,
      [newId(), projectId, url],
    );
    const document = (
      after: string,
    ) => `query { runners { runnerId url } runs { nodes { runner } } events { nodes { runner } }
      runnerPage(first: 1${after}) { nodes { runnerId } pageInfo { endCursor hasNextPage } } }`;
    const look = (principal: Principal, after = '') =>
      query(recording.engine, principal, document(after && `, after: "${after}"`)) as Promise<{
        runnerPage: { pageInfo: { endCursor: string; hasNextPage: boolean } };
      }>;
    const first = await look(publicKey(projectId));
    expect(first).toMatchObject({
      runners: [
        { runnerId: cut, url: cut },
        { runnerId: cut, url: cut },
      ],
      runs: { nodes: [{ runner: cut }] },
      events: { nodes: [{ runner: cut }] },
    });
    const { endCursor } = first.runnerPage.pageInfo;
    expect(Buffer.from(endCursor, 'base64url').toString()).not.toContain('s3cret');
    expect(await look(publicKey(projectId), endCursor)).toMatchObject({
      runnerPage: { nodes: [{ runnerId: cut }], pageInfo: { hasNextPage: false } },
    });
    expect(await look(secretKey(projectId))).toMatchObject({
      runners: [
        { runnerId: `${url}1`, url },
        { runnerId: `${url}2`, url },
      ],
      runs: { nodes: [{ runner: url }] },
      events: { nodes: [{ runner: url }] },
    });
  });
});
