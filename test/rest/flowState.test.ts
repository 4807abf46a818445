import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerDispatcher } from '../../src/engine/dispatchers/index.ts';
import { claimRuns } from '../../src/engine/passes/index.ts';
import { updateProject } from '../../src/engine/projects/index.ts';
import { query, secretKey } from '../schema/fixtures.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const minuteMs = 60_000;

/** A project with these workflows, and functions that act on it. */
async function project(workflows: WireWorkflow[]) {
  const { projectId, secret } = await rest.stranger();
  await registerWorkflows(rest.engine, projectId, workflows, { app: 'shop' });
  const call = (method: string, path: string, body?: unknown) => rest.call(method, path, body, { key: secret });
  return {
    projectId,
    ask: async (search = '') => (await call('GET', `/flow-state${search}`)).body,
    async send(name: string, count: number, data: object = {}): Promise<void> {
      for (let n = 0; n < count; n += 1)
        expect(await call('POST', '/events', { name, data })).toMatchObject({ status: 202 });
    },
    /** Claims and executes at most this many runs. */
    async execute(limit = 100): Promise<void> {
      const dispatcherId = await registerDispatcher(rest.engine);
      const lanes = await rest.engine.db.prisma.lane.findMany({ where: { projectId } });
      await claimRuns(rest.engine, { dispatcherId, groups: lanes.map(({ id }) => ({ laneIds: [id], limit })) });
    },
  };
}

const none = { inference: [], scopes: [], debounce: [], batch: [], throttle: [], tokenThrottle: [], budgets: [] };
const soon = (body: string): boolean => {
  const inMs = new Date(body).getTime() - Date.now();
  return inMs > 0 && inMs <= minuteMs;
};

describe('GET /flow-state', () => {
  it('is empty where nothing is limited and nothing waits', async () => {
    const { ask } = await project([{ name: 'plain' }]);
    expect(await ask()).toEqual({ concurrency: { limit: 0, inUse: 0 }, ...none });
  });

  it("tells the project's ceiling and how much of it is in use", async () => {
    const { projectId, send, execute, ask } = await project([{ name: 'plain' }]);
    await updateProject(rest.engine, { id: projectId, concurrencyCeiling: 2 });
    await send('plain', 3);
    await execute();
    expect((await ask()).concurrency).toEqual({ limit: 2, inUse: 2 });
  });

  it('shows for each scope how many runs execute in it, and how many wait', async () => {
    const { send, execute, ask } = await project([
      { name: 'keyed', concurrency: { limit: 2, key: 'customer' } },
      { name: 'whole', concurrency: { limit: 1 } },
      { name: 'idle', concurrency: { limit: 7 } },
    ]);
    await send('keyed', 5, { customer: 'a' });
    await send('keyed', 1, { customer: 'b' });
    await send('whole', 3);
    await execute();
    const keyed = { app: 'shop', workflow: 'keyed', limit: 2 };
    expect((await ask()).scopes).toEqual([
      { ...keyed, key: 'a', inUse: 2, waiting: 3 },
      { app: 'shop', workflow: 'whole', limit: 1, inUse: 1, waiting: 2 },
      { ...keyed, key: 'b', inUse: 1, waiting: 0 },
      { app: 'shop', workflow: 'idle', limit: 7, inUse: 0, waiting: 0 },
    ]);
    expect((await ask('?workflow=whole')).scopes).toEqual([
      { app: 'shop', workflow: 'whole', limit: 1, inUse: 1, waiting: 2 },
    ]);
  });

  it('shows the project’s own scopes, however many of other projects are full', async () => {
    const policy = { concurrency: { limit: 1, key: 'customer' } };
    const crowd = await project([{ name: 'keyed', ...policy }]);
    await crowd.send('keyed', 1, { customer: 'a' });
    await rest.engine.db.query({
      text: `
        with ids as (select gen_random_uuid() as id, n from generate_series(1, 2500) as n),
        made as (
          insert into run
          select copy.* from ids cross join run r
          cross join lateral jsonb_populate_record(r, jsonb_build_object('id', ids.id)) copy
          where r.project_id = $1
        )
        insert into run_work
        select copy.* from ids cross join run_work w
        cross join lateral jsonb_populate_record(w, jsonb_build_object(
          'run_id', ids.id, 'state', 'gated', 'gate', 'slot', 'slot', -9223372036854770000 + n)) copy
        where w.project_id = $1`,
      values: [crowd.projectId],
    });
    const { projectId, send, execute, ask } = await project([{ name: 'keyed', ...policy }]);
    for (const customer of ['a', 'b']) await send('keyed', 2, { customer });
    await execute();
    await execute();
    const ended = "delete from run_work where project_id = $1 and state = 'leased'";
    await rest.engine.db.query({ text: ended, values: [projectId] });
    expect((await ask()).scopes).toMatchObject([
      { inUse: 0, waiting: 1 },
      { inUse: 0, waiting: 1 },
    ]);
    expect((await crowd.ask()).scopes).toHaveLength(1000);
    await rest.engine.db.query({ text: 'delete from run_work where project_id = $1', values: [crowd.projectId] });
  });

  it('shows the buffered starts, and their due times', async () => {
    const { send, ask } = await project([
      { name: 'quiet', debounce: { periodMs: minuteMs, key: 'k' } },
      { name: 'many', batch: { maxSize: 10, timeoutMs: minuteMs } },
    ]);
    await send('quiet', 3, { k: 1 });
    await send('quiet', 1, { k: 2 });
    await send('many', 4);
    const state = await ask();
    expect(state.debounce).toEqual([
      { app: 'shop', workflow: 'quiet', pending: 2, nextFireAt: expect.toSatisfy(soon) },
    ]);
    expect(state.batch).toEqual([{ app: 'shop', workflow: 'many', buffered: 4, oldestAt: expect.any(String) }]);
    expect(await ask('?workflow=many')).toMatchObject({ debounce: [], batch: [{ buffered: 4 }] });
  });

  it('shows the fullest buffers of each policy, however many another policy has', async () => {
    const { projectId, send, ask } = await project([
      { name: 'quiet', debounce: { periodMs: minuteMs } },
      { name: 'gather', batch: { maxSize: 10, timeoutMs: minuteMs } },
    ]);
    await rest.engine.db.prisma.$executeRaw`insert into flow_buffer
      (id, project_id, policy, app, workflow, key, items, flush_at)
      select gen_random_uuid(), ${projectId}::uuid, 'batch', 'another', 'other' || n, '', 1, now() + interval '1 minute'
      from generate_series(1, 2001) n`;
    await send('quiet', 1);
    await send('gather', 2);
    const { debounce, batch } = await ask();
    expect(debounce).toMatchObject([{ workflow: 'quiet', pending: 1 }]);
    expect(batch).toHaveLength(1000);
    expect(batch[0]).toMatchObject({ workflow: 'gather', buffered: 2 });
  });

  it('shows the delayed starts, and when the next of them begins', async () => {
    const { send, ask } = await project([
      { name: 'paced', throttle: { limit: 1, perMs: minuteMs, key: 'k' } },
      { name: 'spent', tokenThrottle: { tokens: 100, perMs: minuteMs } },
    ]);
    await send('paced', 4, { k: 'x' });
    await send('paced', 1, { k: 'y' });
    const state = await ask();
    expect(state.throttle).toEqual([
      { app: 'shop', workflow: 'paced', key: 'x', delayed: 3, nextStartAt: expect.toSatisfy(soon) },
    ]);
    const { rows } = await rest.engine.db.query<{ first: Date }>(
      "select min(start_at) as first from run where workflow = 'paced' and start_at is not null",
    );
    expect(state.throttle[0].nextStartAt).toBe(rows[0]?.first.toISOString());
    expect(state.tokenThrottle).toEqual([{ app: 'shop', workflow: 'spent', available: 100 }]);
  });

  it('shows the spend of each budget', async () => {
    const { ask } = await project([{ name: 'thrifty', budget: { maxTokens: 1000, windowMs: minuteMs } }]);
    expect((await ask()).budgets).toEqual([
      { app: 'shop', workflow: 'thrifty', tokens: 0, maxTokens: 1000, windowMs: minuteMs, paused: 0 },
    ]);
  });

  it("shows nothing of another project's", async () => {
    const theirs = await project([{ name: 'whole', concurrency: { limit: 1, key: 'k' } }]);
    await theirs.send('whole', 3, { k: 'secret' });
    await theirs.execute();
    const { ask } = await project([{ name: 'plain' }]);
    expect(await ask()).toEqual({ concurrency: { limit: 0, inUse: 0 }, ...none });
  });
});

it('GraphQL answers the same', async () => {
  const { projectId, send, execute } = await project([{ name: 'whole', concurrency: { limit: 1 } }]);
  await send('whole', 2);
  await execute();
  const document = '{ flowState(workflow: "whole") { concurrency { limit inUse } scopes { key inUse waiting } } }';
  expect(await query(rest.engine, secretKey(projectId), document)).toEqual({
    flowState: { concurrency: { limit: 0, inUse: 1 }, scopes: [{ key: null, inUse: 1, waiting: 1 }] },
  });
});

it('an impossible name of a workflow is an unknown workflow', async () => {
  const { projectId, send, execute } = await project([{ name: 'whole', concurrency: { limit: 1 } }]);
  await send('whole', 2);
  await execute();
  const of = (workflow: string) =>
    query(
      rest.engine,
      secretKey(projectId),
      `query ($workflow: String) { flowState(workflow: $workflow) {
        concurrency { inUse } scopes { key } debounce { app } batch { app } throttle { app } tokenThrottle { app } budgets { app }
      } }`,
      { workflow },
    );
  expect(await of('\0')).toEqual(await of('unknown'));
});

it('metrics tell how many runs wait for a slot, and how many for room under a ceiling', async () => {
  const { send, execute } = await project([{ name: 'whole', concurrency: { limit: 1 } }]);
  const waiting = async () => {
    const { text } = await rest.call('GET', '/metrics', undefined, { key: rest.keys.operator });
    return ['slot', 'ceiling'].map((gate) =>
      Number(new RegExp(`holdfast_gated_runs{gate="${gate}"} (\\d+)`).exec(text)?.[1]),
    );
  };
  const [slot = Number.NaN, ceiling] = await waiting();
  await send('whole', 3);
  await execute();
  expect(await waiting()).toEqual([slot + 2, ceiling]);
});
