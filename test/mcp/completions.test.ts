import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertRun, insertWorkflows } from '../schema/fixtures.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type McpServer, startMcp } from './mcpServer.ts';
import { type Planted, plant } from './planted.ts';

let mcp: McpServer;
let ours: Planted;
let theirs: Planted;
beforeAll(async () => {
  mcp = await startMcp();
  ours = await plant(mcp, mcp.projectId);
  theirs = await plant(mcp, (await mcp.stranger()).projectId, 'stranger');
  const many = Array.from({ length: 150 }, (_, at) => ({ name: `flow-${String(at).padStart(3, '0')}` }));
  await registerWorkflows(mcp.engine, mcp.projectId, many, { app: 'many', runner: 'runner of many' });
});
afterAll(() => mcp.close());

const template = (uri: string) => ({ type: 'ref/resource', uri });
const prompt = (name: string) => ({ type: 'ref/prompt', name });

async function values(ref: object, name: string, value = '', given?: Record<string, string>) {
  const { result, error } = await mcp.request('completion/complete', {
    ref,
    argument: { name, value },
    ...(given && { context: { arguments: given } }),
  });
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return result.completion;
}

describe('completions of /mcp', () => {
  it('complete ids with the newest of the project, by the statuses that the prompt is about', async () => {
    expect((await values(template('run://{id}'), 'id')).values).toEqual([ours.waitingId, ours.runId]);
    expect((await values(template('run://{id}/steps'), 'id', ours.runId)).values).toEqual([ours.runId]);
    expect((await values(prompt('debug_run'), 'id')).values).toEqual([ours.runId]);
    expect((await values(template('event://{id}'), 'id')).values).toEqual([ours.eventId]);
    expect((await values(template('approval://{id}'), 'id')).values).toEqual([ours.approvalId]);
    expect((await values(prompt('review_approval'), 'id')).values).toEqual([ours.approvalId]);
  });

  it('complete apps, workflows of the app that is known, statuses, spans and pages', async () => {
    const workflow = template('workflow://{app}/{name}');
    expect((await values(workflow, 'app', 'sh')).values).toEqual(['shop']);
    expect((await values(workflow, 'name', '', { app: 'shop' })).values).toEqual([ours.workflow]);
    expect((await values(workflow, 'name', 'flow-14', { app: 'many' })).values).toHaveLength(10);
    expect((await values(prompt('write_workflow'), 'app', 'MANY')).values).toEqual(['many']);
    expect((await values(prompt('incident'), 'app')).values).toEqual(expect.arrayContaining(['shop', 'many']));
    expect((await values(prompt('incident'), 'status', 'f')).values).toEqual(['failed']);
    expect((await values(prompt('incident'), 'since')).values).toContain('24h');
    expect((await values(template('doc://{page}'), 'page', 'guides/ap')).values).toEqual(['guides/approvals']);
  });

  it('answer at most 100, and say that there are more', async () => {
    const workflows = await values(template('workflow://{app}/{name}'), 'name', 'flow-', { app: 'many' });
    expect([workflows.values.length, workflows.hasMore]).toEqual([100, true]);
    await Promise.all(Array.from({ length: 120 }, () => insertRun(mcp.engine, mcp.projectId, { status: 'cancelled' })));
    const runs = await values(template('run://{id}'), 'id');
    expect([runs.values.length, runs.hasMore]).toEqual([100, true]);
  });

  it('leave out what could deceive a reader, and match no invisible text', async () => {
    const invisible = [
      '\u200b',
      '\u202e',
      '\u2066',
      '\u0085',
      '\u001b',
      '\u00ad',
      '\ufeff',
      '\ufe0f',
      '\u{e0041}',
      '\u2028',
    ];
    const names = invisible.map((each) => `a${each}pp`);
    await mcp.engine.db.prisma.app.createMany({ data: names.map((name) => ({ projectId: mcp.projectId, name })) });
    const named = names.map((app) => ({ app, name: app }));
    await insertWorkflows(mcp.engine, mcp.projectId, [...named, { app: 'shop', name: 'a\u200bpp' }]);
    const workflow = template('workflow://{app}/{name}');
    for (const typed of ['a', ...names, ...invisible]) {
      expect((await values(workflow, 'app', typed)).values).toEqual([]);
      expect((await values(prompt('incident'), 'app', typed)).values).toEqual([]);
      expect((await values(workflow, 'name', typed)).values).toEqual([]);
      expect((await values(workflow, 'name', typed, { app: 'shop' })).values).toEqual([]);
    }
  });

  it('answer for values of other projects as for unknown ones', async () => {
    for (const [uri, name, value] of [
      ['run://{id}', 'id', theirs.runId],
      ['event://{id}', 'id', theirs.eventId],
      ['approval://{id}', 'id', theirs.approvalId],
      ['workflow://{app}/{name}', 'app', theirs.app],
      ['workflow://{app}/{name}', 'name', theirs.workflow],
    ] as const) {
      const unknown = await values(template(uri), name, 'z'.repeat(value.length));
      expect(unknown.values, uri).toEqual([]);
      expect(await values(template(uri), name, value), uri).toEqual(unknown);
    }
    expect((await values(template('workflow://{app}/{name}'), 'name', '', { app: theirs.app })).values).toEqual([]);
  });

  it('refuse what has no completions, with -32602', async () => {
    for (const [ref, name] of [
      [template('run://{other}'), 'id'],
      [template('run://{id}'), 'constructor'],
      [prompt('nothing'), 'id'],
      [prompt('debug_run'), 'app'],
    ] as const)
      await expect(values(ref, name)).rejects.toThrow('-32602');
    expect(await values(template('run://{id}'), 'id', 'x'.repeat(10_000))).toEqual({ values: [], hasMore: false });
  });
});
