import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, query, type RunFixture, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeEach(async () => {
  projectId = await createTestProject(test.engine);
});

const minute = (n: number): Date => new Date(Date.UTC(2026, 2, 1, 10, n));
const run = (session: string | null, at: number, more: RunFixture = {}) =>
  insertRun(test.engine, projectId, { session, createdAt: minute(at), ...more });
const spend = (runId: string, tokens: number, cost: number | null, at = 30) =>
  test.engine.db.query({
    text: `insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, tokens_in, cost, created_at)
           values ($1, (select count(*) from ai_usage where run_id = $1), 1, $2, 'shop', 'order', $3, $4, $5)`,
    values: [runId, projectId, tokens, cost, minute(at)],
  });

interface PageOfSessions {
  nodes: { session: string; aiCost: number | null; runs: number }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function page(variables: object, project = projectId): Promise<PageOfSessions> {
  const document = `query ($sort: SessionSort, $first: Int, $after: String, $since: DateTime, $app: String) {
    sessionPage(sort: $sort, first: $first, after: $after, since: $since, app: $app) {
      nodes { session aiCost runs } pageInfo { hasNextPage endCursor }
    }
  }`;
  const answer = await query(test.engine, secretKey(project), document, { ...variables });
  return answer['sessionPage'] as PageOfSessions;
}

/** The sessions of all pages. */
async function all(variables: object, first: number): Promise<string[]> {
  const names: string[] = [];
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: PageOfSessions = await page({ ...variables, first, after });
    names.push(...nodes.map(({ session }) => session));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return names;
}

describe('sessionPage', () => {
  it.each([1, 2, 3, 10])('in pages of %i has each session once, most recent first', async (first) => {
    const order = ['a', 'b', null, 'a', 'c', 'b', null, 'c', 'a', 'd'];
    const ids: string[] = [];
    for (const [n, session] of order.entries()) ids.push(await run(session, n));
    expect(await all({}, first)).toEqual(['d', 'a', 'c', ids[6], 'b', ids[2]]);
    expect(await all({ sort: 'LATEST', since: minute(5).toISOString() }, first)).toEqual(['d', 'a', 'c', ids[6], 'b']);
  });

  it.each([1, 2, 10])('by cost in pages of %i has the dearest first, and no session without a call', async (first) => {
    await run('idle', 20);
    const alone = await run(null, 1);
    const [cheap, dear, more] = [await run('cheap', 2), await run('dear', 3), await run('dear', 4)];
    const [big, small] = [await run('big', 5), await run('small', 6)];
    await spend(cheap, 1, 0.1);
    await spend(dear, 1, 0.3);
    await spend(more, 1, 0.2);
    await spend(alone, 1, 0.4);
    await spend(big, 500, null);
    await spend(small, 5, null);
    expect(await all({ sort: 'COST' }, first)).toEqual(['dear', alone, 'cheap', 'big', 'small']);
  });

  it('by cost counts the runs of the window and the app only', async () => {
    const [old, late] = [await run('chat', 1), await run('chat', 9)];
    await spend(old, 1, 5, 1);
    await spend(late, 1, 0.5, 9);
    const other = await run('desk', 9, { app: 'desk' });
    await spend(other, 1, 1, 9);
    expect((await page({ sort: 'COST' })).nodes[0]).toEqual({ session: 'chat', aiCost: 5.5, runs: 2 });
    const since = minute(5).toISOString();
    expect((await page({ sort: 'COST', since })).nodes).toMatchObject([{ session: 'desk' }, { aiCost: 0.5, runs: 1 }]);
    expect((await page({ sort: 'COST', app: 'desk' })).nodes).toMatchObject([{ session: 'desk' }]);
    expect((await page({ sort: 'COST' }, await createTestProject(test.engine))).nodes).toEqual([]);
  });

  it('refuses a cursor of the other order', async () => {
    for (const session of ['a', 'b']) await spend(await run(session, 1), 1, 1);
    const { endCursor: after } = (await page({ first: 1 })).pageInfo;
    await expect(page({ sort: 'COST', after })).rejects.toThrow(/cursor is damaged or belongs to another/);
  });
});

describe('session', () => {
  const one = async (id: string, project = projectId) =>
    (await query(test.engine, secretKey(project), `query ($id: ID!) { session(id: $id) { id session runs } }`, { id }))[
      'session'
    ];

  it('is found by its id and by its name, and only in its project', async () => {
    await run('chat', 1);
    await run('chat', 2);
    const alone = await run(null, 3);
    const chat = { id: 'session:chat', session: 'chat', runs: 2 };
    expect(await one('session:chat')).toEqual(chat);
    expect(await one('chat')).toEqual(chat);
    expect(await one(alone)).toMatchObject({ session: alone, runs: 1 });
    expect(await one('chat', await createTestProject(test.engine))).toBeNull();
    expect(await one(newId())).toBeNull();
  });
});
