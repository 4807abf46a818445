import { beforeAll, describe, expect, it } from 'vitest';
import { sendEvent } from '../../src/engine/events/index.ts';
import { maxSuggestedFrom } from '../../src/engine/runs/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { insertRun, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
let other: string;

const document = `query ($kind: SuggestionKind!, $app: String, $key: String, $prefix: String, $limit: Int) {
  suggestions(kind: $kind, app: $app, key: $key, prefix: $prefix, limit: $limit)
}`;

async function suggested(kind: string, more: object = {}, project = projectId): Promise<unknown> {
  return (await query(test.engine, secretKey(project), document, { kind, ...more } as never))['suggestions'];
}

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  other = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [
    {
      name: 'ship',
      triggers: [{ event: 'order.paid' }, { event: 'order.moved' }, { event: 'order.*' }, { cron: '@daily' }],
    },
    { name: 'pack', triggers: [{ event: 'order.paid' }] },
    { name: 'on its name' },
  ]);
  const run = (tags: Record<string, string> | null, session: string | null, app = 'shop'): Promise<string> =>
    insertRun(test.engine, projectId, { app, tags, session });
  await run({ customer: 'Ada', plan: 'pro' }, 'chat-2');
  await run({ customer: 'Ada' }, 'chat-2');
  await run({ customer: 'bob', plan: '50%' }, 'chat-1', 'desk');
  await run(null, null);
  await insertRun(test.engine, other, { tags: { secret: 'of another project' }, session: 'chat-3' });
  for (const name of ['order.moved', 'order.moved', 'order.lost']) {
    await sendEvent(test.engine, { projectId, input: { name } });
  }
});

describe('suggestions', () => {
  it.each<[string, string, object, string[]]>([
    ['apps of registered workflows', 'APP', {}, ['default']],
    ['registered workflows', 'WORKFLOW', {}, ['on its name', 'pack', 'ship']],
    ['no workflow of another app', 'WORKFLOW', { app: 'desk' }, []],
    ['versions of runs', 'VERSION', { app: 'shop' }, ['v1']],
    ['keys of tags, the most frequent first', 'TAG_KEY', {}, ['customer', 'plan']],
    ['keys of tags of an app', 'TAG_KEY', { app: 'shop', limit: 1 }, ['customer']],
    ['values of a tag, the most frequent first', 'TAG_VALUE', { key: 'customer' }, ['Ada', 'bob']],
    ['values of a tag of an app', 'TAG_VALUE', { key: 'customer', app: 'desk' }, ['bob']],
    ['no value of an unused tag', 'TAG_VALUE', { key: 'nothing' }, []],
    ['sessions, the most frequent first', 'SESSION', {}, ['chat-2', 'chat-1']],
    ['values that begin so, in any case', 'TAG_VALUE', { key: 'customer', prefix: 'AD' }, ['Ada']],
    ['signs as they are', 'TAG_VALUE', { key: 'plan', prefix: '%' }, []],
    ['a text as it is', 'TAG_VALUE', { key: 'plan', prefix: '50%' }, ['50%']],
    ['nothing for a text that no name holds', 'SESSION', { prefix: 'chat\u0000' }, []],
  ])('are %s', async (_what, kind, more, expected) => {
    expect(await suggested(kind, more)).toEqual(expected);
  });

  it('of events are the names that came, and those that workflows listen for', async () => {
    const expected = ['order.moved', 'order.paid', 'on its name', 'order.lost'];
    expect(await suggested('EVENT')).toEqual(expected);
    expect(await suggested('EVENT', { prefix: 'order.', limit: 2 })).toEqual(expected.slice(0, 2));
  });

  it('of runs look at the newest ones only, and may be old', async () => {
    const project = await createTestProject(test.engine);
    await insertRun(test.engine, project, { session: 'long ago', createdAt: new Date('2026-01-01') });
    await insertRun(test.engine, project, { session: 'now' });
    const answer = () => query(test.engine, secretKey(project), '{ suggestions(kind: SESSION, maxAge: 60) }');
    expect(await answer()).toEqual({ suggestions: ['long ago', 'now'] });
    await test.db.query(
      `insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, depth)
       select gen_random_uuid(), '${project}', 'shop', 'order', 'v1', 'queued', 'manual', 'null', 0
       from generate_series(1, ${maxSuggestedFrom})`,
    );
    expect(await answer()).toEqual({ suggestions: ['long ago', 'now'] });
    expect(await suggested('SESSION', {}, project)).toEqual([]);
    await insertRun(test.engine, project, { session: 'just now', createdAt: new Date(Date.now() + 60_000) });
    expect(await suggested('SESSION', {}, project)).toEqual(['just now']);
  });

  it('are of the key’s project alone', async () => {
    expect(await suggested('SESSION', {}, other)).toEqual(['chat-3']);
    expect(await suggested('EVENT', {}, other)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ kind: 'TAG_VALUE' }, 'key must name the tag whose values are asked for'],
    [{ kind: 'SESSION', limit: 0 }, 'limit must be an integer of at least 1'],
  ])('refuse %j', async (asked, message) => {
    const refused = query(test.engine, secretKey(projectId), document, asked as never);
    await expect(refused).rejects.toThrow(message);
  });
});
