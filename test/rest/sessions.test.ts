import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { insertRun, query, type RunFixture, secretKey } from '../schema/fixtures.ts';
import { noRuns } from './noRuns.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const minute = (n: number): Date => new Date(Date.UTC(2026, 2, 1, 10, n));

async function project() {
  const { projectId, secret } = await rest.stranger();
  return {
    projectId,
    run: (session: string | null, at: number, run: RunFixture = {}) =>
      insertRun(rest.engine, projectId, { session, createdAt: minute(at), ...run }),
    call: (runId: string, { tokensIn, tokensOut, cost }: { tokensIn?: number; tokensOut?: number; cost?: number }) =>
      rest.engine.db.query({
        text: `insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, tokens_in, tokens_out, cost)
          values ($1, (select count(*) from ai_usage where run_id = $1), 1, $2, 'shop', 'order', $3, $4, $5)`,
        values: [runId, projectId, tokensIn, tokensOut, cost],
      }),
    ask: async (search = '') => (await rest.call('GET', `/sessions${search}`, undefined, { key: secret })).body,
    runsOf: async (session: string, sort = 'started'): Promise<number> =>
      (await rest.call('GET', `/runs?session=${session}&sort=${sort}`, undefined, { key: secret })).body.length,
    names: async (search = ''): Promise<string[]> =>
      (await rest.call('GET', `/sessions${search}`, undefined, { key: secret })).body.map(
        (each: { session: string }) => each.session,
      ),
  };
}

describe('GET /sessions', () => {
  it('finds the sessions behind one with more runs than are read at once', async () => {
    const { projectId, run, ask, names } = await project();
    await run('old', 1);
    await run(null, 2);
    await run('older runs, too', 3);
    await rest.engine.db.query({
      text: `insert into run (id, project_id, app, workflow, version, status, trigger_kind, session, input, created_at)
        select uuidv7(), $1, 'shop', 'order', 'v', 'queued', 'manual', case when n % 50 = 0 then 'busy' else 'long' end, '{}',
          $2::timestamptz + n * interval '1 ms'
        from generate_series(1, 2500) as n`,
      values: [projectId, minute(4)],
    });
    await run('older runs, too', 5);
    const all = await names();
    expect(all.map((name) => (name.length === 36 ? 'alone' : name))).toEqual([
      'older runs, too',
      'busy',
      'long',
      'alone',
      'old',
    ]);
    expect(await ask('?limit=3')).toMatchObject([{ runs: 2 }, { runs: 50 }, { runs: 2450 }]);
    expect(await names('?limit=4')).toEqual(all.slice(0, 4));
  });

  it('groups runs by session, and lists a run without one under its own id', async () => {
    const { run, ask, call } = await project();
    const first = await run('chat-1', 1, { status: 'succeeded', workflow: 'reply' });
    const alone = await run(null, 2, { status: 'needs_attention' });
    await run('chat-1', 3, { app: 'desk', status: 'failed' });
    const last = await run('chat-1', 4, { workflow: 'reply' });
    await call(first, { tokensIn: 10, tokensOut: 5, cost: 0.1 });
    await call(first, { tokensIn: 1 });
    await call(last, { tokensOut: 4, cost: 0.2 });
    expect(await ask()).toEqual([
      {
        session: 'chat-1',
        runs: 3,
        byStatus: { ...noRuns, queued: 1, succeeded: 1, failed: 1 },
        apps: ['desk', 'shop'],
        workflows: ['order', 'reply'],
        firstRunAt: minute(1).toISOString(),
        lastRunAt: minute(4).toISOString(),
        aiTokens: 20,
        aiCost: 0.3,
      },
      {
        session: alone,
        runs: 1,
        byStatus: { ...noRuns, needs_attention: 1 },
        apps: ['shop'],
        workflows: ['order'],
        firstRunAt: minute(2).toISOString(),
        lastRunAt: minute(2).toISOString(),
      },
    ]);
  });

  it('has no cost where no call was priced', async () => {
    const { run, ask, call } = await project();
    await call(await run('chat', 1), { tokensIn: 3 });
    const [session] = await ask();
    expect(session).toMatchObject({ aiTokens: 3 });
    expect(session).not.toHaveProperty('aiCost');
  });

  it('is in the order of the latest run, however the sessions interleave', async () => {
    const { run, names } = await project();
    const order = ['a', 'b', null, 'a', 'c', 'b', null, 'c', 'a'];
    const ids: string[] = [];
    for (const [n, session] of order.entries()) ids.push(await run(session, n));
    expect(await names()).toEqual(['a', 'c', ids[6], 'b', ids[2]]);
    expect(await names('?limit=2')).toEqual(['a', 'c']);
    expect(await names('?limit=5')).toHaveLength(5);
  });

  it('of the same instant are each listed once', async () => {
    const { run, names } = await project();
    for (const session of ['x', 'y', 'z', 'x', 'y']) await run(session, 1);
    const alone = await run(null, 1);
    expect([...(await names())].sort()).toEqual([...['x', 'y', 'z'], alone].sort());
  });

  it('counts only runs of the app, and those since an instant, where that is asked for', async () => {
    const { run, ask, names } = await project();
    await run('a', 1);
    await run('a', 5, { app: 'desk' });
    await run('b', 3);
    expect(await names('?app=desk')).toEqual(['a']);
    expect(
      (await ask('?app=shop')).map((each: { session: string; runs: number }) => [each.session, each.runs]),
    ).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
    const [since] = await ask(`?since=${minute(4).toISOString()}`);
    expect(since).toMatchObject({ session: 'a', runs: 1, apps: ['desk'], firstRunAt: minute(5).toISOString() });
    expect(await names(`?since=${minute(3).toISOString()}`)).toEqual(['a', 'b']);
    expect(await names('?app=nobody')).toEqual([]);
  });

  it('takes a session that is named like a run for what it is: one session', async () => {
    const { run, ask } = await project();
    const id = newId();
    await run(null, 1, { id });
    await run(id, 2);
    expect(await ask()).toMatchObject([{ session: id, runs: 2 }]);
  });

  it.each(['started', 'status', 'duration'])(
    'names sessions by which GET /runs finds their runs, sorted by %s',
    async (sort) => {
      const { run, names, runsOf } = await project();
      const [alone, named] = [newId(), newId()];
      await run(null, 1, { id: alone });
      await run(null, 2, { id: named });
      await run(named, 3);
      await run('chat', 4);
      const found = await Promise.all((await names()).map(async (name) => [name, await runsOf(name, sort)]));
      expect(Object.fromEntries(found)).toEqual({ chat: 1, [named]: 2, [alone]: 1 });
      expect(await runsOf(newId(), sort)).toBe(0);
    },
  );

  it('a run of another project, or one that has a session, is no session by its id', async () => {
    const [own, other] = [await project(), await project()];
    const theirs = await other.run(null, 1);
    const member = await own.run('chat', 2);
    expect([await own.runsOf(theirs), await own.runsOf(member)]).toEqual([0, 0]);
  });

  it('answers 100 unless asked otherwise, and 500 at most', async () => {
    const { projectId, names } = await project();
    await rest.engine.db.query({
      text: `insert into run (id, project_id, app, workflow, version, status, trigger_kind, session, input, created_at)
        select gen_random_uuid(), $1, 'shop', 'order', 'v', 'queued', 'event', 's' || n % 600, '{}',
          timestamptz '2026-01-01Z' + n * interval '1 s'
        from generate_series(0, 1799) n`,
      values: [projectId],
    });
    expect(await names()).toHaveLength(100);
    const most = await names('?limit=5000');
    expect(most).toHaveLength(500);
    expect(most.slice(0, 2)).toEqual(['s599', 's598']);
    expect(new Set(most).size).toBe(500);
  });

  test.each([
    ['limit=0', 'limit must be an integer from 1 to 500 (more counts as 500)'],
    ['limit=1.5', 'limit must be an integer from 1 to 500 (more counts as 500)'],
    ['limit=all', 'limit must be an integer from 1 to 500 (more counts as 500)'],
    ['since=yesterday', 'since must be an RFC 3339 timestamp, such as 2026-01-31T08:00:00Z'],
  ])('answers 400 to ?%s', async (search, error) => {
    expect(await rest.call('GET', `/sessions?${search}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('shows nothing of another project, not even under the same name', async () => {
    const theirs = await project();
    await theirs.run('shared', 1);
    const own = await project();
    await own.run('shared', 2);
    expect(await own.ask()).toMatchObject([{ session: 'shared', runs: 1, lastRunAt: minute(2).toISOString() }]);
    expect((await rest.call('GET', '/sessions', undefined, { key: rest.keys.public })).body).toEqual([]);
  });
});

describe('sessions of GraphQL', () => {
  it('answer the same, with null for what is not known', async () => {
    const { projectId, run } = await project();
    await run('chat', 1, { status: 'needs_attention' });
    const document = '{ sessions(limit: 5) { session runs byStatus { needsAttention } aiTokens aiCost } }';
    expect(await query(rest.engine, secretKey(projectId), document)).toEqual({
      sessions: [{ session: 'chat', runs: 1, byStatus: { needsAttention: 1 }, aiTokens: null, aiCost: null }],
    });
    await expect(query(rest.engine, secretKey(projectId), '{ sessions(limit: 0) { runs } }')).rejects.toThrow(
      'limit must be an integer of at least 1',
    );
  });
});
