import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import { replayRun } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { type McpServer, startMcp } from '../mcpServer.ts';
import { all, asking, minute, openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
beforeAll(async () => {
  scene = await openWrites();
});
afterAll(() => scene.close());

const own = refused('an agent cannot approve what it started', 'FORBIDDEN');
const status = 'approved';

const decide = async (runId: string, server: Pick<McpServer, 'tool'> = scene.mcp, caller = all) =>
  server.tool('decide_approval', { id: await scene.approvalOf(runId), status }, caller);

async function expectOwn(runId: string): Promise<void> {
  expect(await decide(runId)).toMatchObject(own);
  const { status: left } = await scene.engine.db.prisma.approval.findFirstOrThrow({ where: { runId } });
  expect(left).toBe('pending');
}

async function triggered(name: string): Promise<string> {
  const { structuredContent } = await scene.tool('trigger_workflow', { app: 'shop', name });
  await scene.settle();
  return structuredContent.runId;
}

const childOf = async (parentRunId: string): Promise<string> =>
  (await scene.engine.db.prisma.run.findFirstOrThrow({ where: { parentRunId } })).id;

describe('a key at /mcp does not decide on a run that it started at /mcp', () => {
  it('by a trigger', async () => expectOwn(await triggered('pay')));

  it('by an event', async () => {
    const { structuredContent } = await scene.tool('send_event', { name: 'asked' });
    await scene.settle();
    await expectOwn(structuredContent.runId);
  });

  it('by an event whose start waited in a batch, also if it was not the first of the batch', async () => {
    await sendEvent(scene.engine, { projectId: scene.projectId, input: { name: 'collect' } });
    await scene.tool('send_event', { name: 'collect' });
    scene.clock.advance(minute);
    await flushDueBuffers(scene.engine);
    await scene.settle();
    const run = await scene.engine.db.prisma.run.findFirstOrThrow({ where: { workflow: 'collected' } });
    await expectOwn(run.id);
  });

  it('by a replay, a retry or a bulk replay', async () => {
    const runId = await scene.start('pay');
    await scene.tool('cancel_run', { id: runId });
    const forks = [
      await scene.tool('replay_run', { id: runId }),
      await scene.tool('retry_run_from_step', { id: runId, step: 'sign' }),
    ].map(({ structuredContent }) => structuredContent.run.id);
    scene.clock.advance(5);
    const given = { workflow: 'pay', status: 'cancelled' };
    const { confirm } = (await scene.tool('bulk_replay_runs', given)).structuredContent;
    await scene.tool('bulk_replay_runs', { ...given, confirm });
    await scene.settle();
    const made = await scene.engine.db.prisma.run.findMany({ where: { replayOf: runId } });
    expect(made.map(({ id }) => id)).toEqual(expect.arrayContaining(forks));
    expect(made).toHaveLength(3);
    for (const { id } of made) await expectOwn(id);
  });

  it('by a run that called it', async () => expectOwn(await childOf(await triggered('parent'))));

  it('by a run that emitted its event', async () => {
    const sourceRunId = await triggered('emitting');
    const event = await scene.engine.db.prisma.event.findFirstOrThrow({ where: { sourceRunId } });
    const run = await scene.engine.db.prisma.run.findFirstOrThrow({ where: { eventId: event.id } });
    await expectOwn(run.id);
  });

  it('by a run whose failure it follows', async () => {
    const failed = await triggered('breaks');
    const runId = await scene.start('pay');
    await scene.engine.db.prisma.run.update({ where: { id: runId }, data: { onFailureOf: failed } });
    await expectOwn(runId);
  });

  it('and does not ask its person about it', async () => {
    expect(await decide(await triggered('pay'), scene.mcp, asking)).toMatchObject(own);
  });

  it('but decides on runs that people started, also by a replay of its own run', async () => {
    expect(await decide(await scene.start('pay'))).toMatchObject({ structuredContent: { approval: { status } } });
    const runId = await triggered('pay');
    await scene.tool('cancel_run', { id: runId });
    const { id } = await replayRun(scene.engine, { projectId: scene.projectId, runId, actor: 'a person' });
    await scene.settle();
    expect(await decide(id)).toMatchObject({ structuredContent: { approval: { status } } });
  });

  it('but another key decides on it', async () => {
    const runId = await triggered('pay');
    const key = await scene.newKey('a second key');
    expect(await decide(runId, scene.mcp, { ...all, key })).toMatchObject({
      structuredContent: { approval: { status, decidedBy: 'a second key', decidedVia: 'mcp' } },
    });
  });

  it('unless MCP_SELF_APPROVAL is set', async () => {
    const lenient = await startMcp({ beside: scene.mcp, mcp: { selfApproval: true } });
    expect(await decide(await triggered('pay'), lenient)).toMatchObject({
      structuredContent: { approval: { status } },
    });
    await lenient.close();
  });

  it.each(['insertStarts:before', 'insertStarts:after'])(
    'also if the process dies: there is no run without its record (%s)',
    async (at) => {
      const before = await scene.runs();
      onFailPoint((reached) => {
        if (reached === at) throw new Error('the process died');
      });
      for (const [name, given] of [
        ['trigger_workflow', { app: 'shop', name: 'pay' }],
        ['send_event', { name: 'asked' }],
      ] as const)
        expect(await scene.tool(name, given)).toMatchObject(refused('internal error'));
      onFailPoint(undefined);
      expect(await scene.runs()).toBe(before);
    },
  );

  it('at no cost for other starts', async () => {
    const before = await scene.engine.db.prisma.agentStart.count();
    onFailPoint((reached) => {
      if (reached.startsWith('insertStarts')) throw new Error('a record that nobody needs');
    });
    await scene.start('pay');
    await sendEvent(scene.engine, { projectId: scene.projectId, input: { name: 'asked' } });
    onFailPoint(undefined);
    expect(await scene.engine.db.prisma.agentStart.count()).toBe(before);
  });
});
