import { beforeEach, describe, expect, it } from 'vitest';
import { createTestProject, useEngine } from '../support/engine.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { insertRun, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeEach(async () => {
  projectId = await createTestProject(test.engine);
});

const minuteMs = 60_000;

const send = (name: string, data: object = {}, project = projectId) =>
  query(test.engine, secretKey(project), `mutation ($input: SendEventInput!) { sendEvent(input: $input) { runId } }`, {
    input: { name, data },
  });

// biome-ignore lint/suspicious/noExplicitAny: a document decides the shape.
const ask = async (selection: string, args = '', project = projectId): Promise<any> =>
  (await query(test.engine, secretKey(project), `{ flowState${args} { ${selection} } }`))['flowState'];

describe('flowState', () => {
  it('shows open buffers by scope with their due times, the next due first', async () => {
    await registerWorkflows(test.engine, projectId, [
      { name: 'quiet', debounce: { periodMs: 2 * minuteMs, key: 'k' } },
      { name: 'many', batch: { maxSize: 10, timeoutMs: minuteMs } },
    ]);
    await send('quiet', { k: 'a' });
    await send('quiet', { k: 'b' });
    await send('many');
    await send('many');
    const selection = 'buffers { policy app workflow key items since dueAt }';
    const { buffers } = await ask(selection);
    const times = { since: expect.any(String), dueAt: expect.any(String) };
    expect(buffers).toEqual([
      { policy: 'BATCH', app: 'default', workflow: 'many', key: null, items: 2, ...times },
      { policy: 'DEBOUNCE', app: 'default', workflow: 'quiet', key: 'a', items: 1, ...times },
      { policy: 'DEBOUNCE', app: 'default', workflow: 'quiet', key: 'b', items: 1, ...times },
    ]);
    expect(Date.parse(buffers[0].dueAt) - Date.parse(buffers[0].since)).toBe(minuteMs);
    expect((await ask(selection, '(workflow: "many")')).buffers).toHaveLength(1);
    expect((await ask(selection, '(app: "other")')).buffers).toEqual([]);
    expect((await ask(selection, '', await createTestProject(test.engine))).buffers).toEqual([]);
  });

  it('shows the holders of singletons', async () => {
    const workflows = ['first', 'second'].map((name) => ({ name, singleton: { mode: 'skip' as const, key: 'k' } }));
    await registerWorkflows(test.engine, projectId, workflows);
    await send('first', { k: 1 });
    await send('first', { k: 1 });
    await send('second', { k: 1 });
    const { singletons } = await ask('singletons { app workflow runId since run { id status } }');
    expect(singletons).toMatchObject([
      { workflow: 'first', run: { status: 'QUEUED' } },
      { workflow: 'second', run: { status: 'QUEUED' } },
    ]);
    expect(singletons[0].run.id).toBe(singletons[0].runId);
    expect((await ask('singletons { workflow }', '(workflow: "second")')).singletons).toEqual([{ workflow: 'second' }]);
    expect((await ask('singletons { runId }', '', await createTestProject(test.engine))).singletons).toEqual([]);
  });

  it('counts what gates withheld since an instant', async () => {
    await registerWorkflows(test.engine, projectId, [
      { name: 'lone', singleton: { mode: 'skip' } },
      { name: 'slow', rateLimit: { limit: 1, perMs: minuteMs } },
      { name: 'free' },
    ]);
    for (const name of ['lone', 'lone', 'lone', 'slow', 'slow', 'free']) await send(name);
    const at = new Date(Date.now() - minuteMs).toISOString();
    const selection = `shed(since: "${at}") { app workflow matched deduped dropped skipped debounced batched }`;
    const none = { app: 'default', deduped: 0, dropped: 0, skipped: 0, debounced: 0, batched: 0 };
    expect((await ask(selection)).shed).toEqual([
      { ...none, workflow: 'lone', matched: 3, skipped: 2 },
      { ...none, workflow: 'slow', matched: 2, dropped: 1 },
    ]);
    expect((await ask(selection, '(workflow: "slow")')).shed).toHaveLength(1);
    const longAgo = 'shed(since: "1960-01-01T00:00:00Z") { workflow }';
    expect((await ask(longAgo)).shed).toEqual([{ workflow: 'lone' }, { workflow: 'slow' }]);
    const later = new Date(Date.now() + minuteMs).toISOString();
    expect((await ask(`shed(since: "${later}") { workflow }`)).shed).toEqual([]);
    expect((await ask(selection, '', await createTestProject(test.engine))).shed).toEqual([]);
  });

  it('is narrowed to an app in each list', async () => {
    const limits = { concurrency: { limit: 1 }, budget: { maxTokens: 10, windowMs: minuteMs } };
    await registerWorkflows(test.engine, projectId, [{ name: 'w', ...limits }], { app: 'one' });
    await registerWorkflows(test.engine, projectId, [{ name: 'w', ...limits }], { app: 'two' });
    const lists =
      'scopes { app } budgets { app } debounce { app } batch { app } throttle { app } tokenThrottle { app }';
    const none = { debounce: [], batch: [], throttle: [], tokenThrottle: [] };
    const two = [{ app: 'two' }];
    expect(await ask(lists, '(app: "two")')).toEqual({ ...none, scopes: two, budgets: two });
    expect(await ask(lists, '(app: "none")')).toEqual({ ...none, scopes: [], budgets: [] });
  });

  it('tells since when a budget is passed, and when it has room again', async () => {
    await registerWorkflows(test.engine, projectId, [
      { name: 'w', budget: { maxTokens: 100, warnAtPct: 50, windowMs: 10 * minuteMs } },
    ]);
    const selection = 'budgets { tokens warnedAt exceededAt resumesAt }';
    expect((await ask(selection)).budgets).toEqual([{ tokens: 0, warnedAt: null, exceededAt: null, resumesAt: null }]);
    const runId = await insertRun(test.engine, projectId, { app: 'default', workflow: 'w' });
    const spentAt = new Date(Date.now() - minuteMs);
    const spend = (tokens: number, at: Date, step: number) =>
      test.engine.db.query({
        text: `insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, tokens_in, created_at)
               values ($1, $5, 1, $2, 'default', 'w', $3, $4)`,
        values: [runId, projectId, tokens, at, step],
      });
    await spend(60, spentAt, 1);
    await spend(50, new Date(), 2);
    await test.engine.db.query({
      text: `insert into flow_budget (project_id, app, workflow, warned_at, exceeded_at) values ($1, 'default', 'w', $2, $2)`,
      values: [projectId, spentAt],
    });
    const at = spentAt.toISOString();
    expect((await ask(selection)).budgets).toEqual([
      {
        ...{ tokens: 110, warnedAt: at, exceededAt: at },
        resumesAt: new Date(spentAt.getTime() + 10 * minuteMs).toISOString(),
      },
    ]);
  });
});
