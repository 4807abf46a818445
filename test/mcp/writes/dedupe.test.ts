import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetCalls } from '../../../src/engine/agents/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { meet } from '../../support/meeting.ts';
import { type McpServer, startMcp } from '../mcpServer.ts';
import { all, hour, openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
/** Another process. */
let other: McpServer;
beforeAll(async () => {
  scene = await openWrites();
  other = await startMcp({ beside: scene.mcp });
});
afterAll(async () => {
  await other.close();
  await scene.close();
});

const differs = 'dedupeId was used for another tool or with other arguments: choose a new one';
const calls = () => scene.engine.db.prisma.agentCall.count();

describe('a repeat of a write at /mcp with its dedupeId', () => {
  it('makes no second run, and answers the run of the first, on any process', async () => {
    const id = await scene.start('twoSteps');
    const given = { id, input: { a: [1, { b: 2, c: 3 }] }, dedupeId: 'replay' };
    const first = await scene.tool('replay_run', given);
    const before = await scene.runs();
    const reordered = { ...given, input: { a: [1, { c: 3, b: 2 }] }, maxBytes: 2_048 };
    for (const repeat of [await scene.tool('replay_run', reordered), await other.tool('replay_run', given, all)])
      expect(repeat.structuredContent.run).toMatchObject({ id: first.structuredContent.run.id, replayOf: id });
    expect(await scene.runs()).toBe(before);
    expect(Object.keys((await scene.tool('replay_run', given)).structuredContent.run)).toEqual(
      Object.keys(first.structuredContent.run),
    );
  });

  it('is a conflict with other arguments, or for another tool', async () => {
    const id = await scene.start('twoSteps');
    await scene.tool('retry_run_from_step', { id, step: 'two', dedupeId: 'retry' });
    const before = await scene.runs();
    const others = [
      ['retry_run_from_step', { id, step: 'one', dedupeId: 'retry' }],
      ['replay_run', { id, dedupeId: 'retry' }],
    ] as const;
    for (const [name, given] of others)
      expect(await scene.tool(name, given)).toMatchObject(refused(differs, 'CONFLICT'));
    expect(await scene.runs()).toBe(before);
  });

  it('is another call for another key', async () => {
    const id = await scene.start('twoSteps');
    const given = { id, dedupeId: 'of a key' };
    const first = await scene.tool('replay_run', given);
    const second = await scene.tool('replay_run', given, { key: await scene.newKey() });
    expect(second.structuredContent.run.id).not.toBe(first.structuredContent.run.id);
  });

  it('acts again after 24 hours, and the scheduler forgets expired ids page by page', async () => {
    const id = await scene.start('twoSteps');
    const given = { id, dedupeId: 'for a day' };
    const first = await scene.tool('replay_run', given);
    scene.clock.advance(24 * hour - 1);
    expect((await scene.tool('replay_run', given)).structuredContent.run.id).toBe(first.structuredContent.run.id);
    scene.clock.advance(1);
    const second = await scene.tool('replay_run', given);
    expect(second.structuredContent.run.id).not.toBe(first.structuredContent.run.id);
    const known = await calls();
    expect(await forgetCalls(scene.engine, 2)).toEqual({ forgotten: 2, full: true });
    while ((await forgetCalls(scene.engine, 2)).full);
    expect(await calls()).toBe(1);
    expect(known).toBeGreaterThan(2);
  });

  it('spends no id for a call that was refused', async () => {
    const id = await scene.start('waits');
    const given = { id, dedupeId: 'too early' };
    expect(await scene.tool('replay_run', given)).toMatchObject(refused('run is not in a terminal state'));
    await scene.tool('cancel_run', { id });
    expect(await scene.tool('replay_run', given)).toMatchObject({ structuredContent: { run: { replayOf: id } } });
  });

  it('refuses an id that is blank, too long or no string', async () => {
    const id = await scene.start('twoSteps');
    for (const [dedupeId, error] of [
      [' ', 'dedupeId must not be blank'],
      ['x'.repeat(257), 'dedupeId may be at most 256 characters long'],
      [5, 'dedupeId must be a string'],
      ['a\u0000b', 'unsupported character in dedupeId'],
    ])
      expect(await scene.tool('replay_run', { id, dedupeId })).toMatchObject(refused(error, 'BAD_USER_INPUT'));
  });
});

describe('a repeat at /mcp that comes while the first call is under way', () => {
  it.each(['claimCall:after', 'forkRuns:before', 'forkRuns:after', 'recordCall:after'])(
    'waits for it, on another process, and acts not again (%s)',
    async (at) => {
      const id = await scene.start('twoSteps');
      const given = { id, dedupeId: `at once ${at}` };
      const made: unknown[] = [];
      const call = async (server: Pick<McpServer, 'tool'>): Promise<void> => {
        made.push((await server.tool('replay_run', given, all)).structuredContent.run.id);
      };
      await meet(scene.engine.db, { at, first: () => call(scene.mcp), second: () => call(other) });
      expect(new Set(made).size).toBe(1);
      expect(await scene.engine.db.prisma.run.count({ where: { replayOf: id } })).toBe(1);
    },
  );

  it('acts itself if the first process died before its commit', async () => {
    const id = await scene.start('twoSteps');
    const given = { id, dedupeId: 'died' };
    for (const at of ['claimCall:after', 'forkRuns:after', 'recordCall:after']) {
      onFailPoint((reached) => {
        if (reached === at) throw new Error('the process died');
      });
      expect(await scene.tool('replay_run', given)).toMatchObject(refused('internal error'));
      onFailPoint(undefined);
      expect(await scene.engine.db.prisma.run.count({ where: { replayOf: id } })).toBe(0);
    }
    expect(await other.tool('replay_run', given, all)).toMatchObject({ structuredContent: { run: { replayOf: id } } });
  });

  it('answers the run of a first process that died after its commit', async () => {
    const id = await scene.start('twoSteps');
    const given = { id, dedupeId: 'died late' };
    onFailPoint((reached) => {
      if (reached === 'insertControlAction:before') throw new Error('the process died');
    });
    await scene.tool('replay_run', given);
    onFailPoint(undefined);
    const [run] = await scene.engine.db.prisma.run.findMany({ where: { replayOf: id } });
    expect(await other.tool('replay_run', given, all)).toMatchObject({ structuredContent: { run: { id: run?.id } } });
    expect(await scene.engine.db.prisma.run.count({ where: { replayOf: id } })).toBe(1);
  });
});
