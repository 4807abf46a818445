import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

type Opcode = Parameters<typeof steps>[0][number];

/** A run of one step. The result is the memo of that step. */
async function runOf(opcode: Opcode, before?: (scene: { projectId: string }) => Promise<void>) {
  const scene = await openScene(test, (request) => {
    if (request.ctx.workflow !== 'flow') return complete('elsewhere');
    const memo = memoOf(request, opcode.name);
    return memo && !('pending' in memo) ? complete(memo) : steps(memo ? [] : [opcode]);
  });
  const runId = await scene.start();
  await before?.(scene);
  await scene.dispatcher.runOnce();
  return { ...scene, runId, run: () => scene.run(runId), rows: () => scene.stepRows(runId) };
}

const emit = (fields: object): Opcode => ({ op: 'Emit', name: 'tell', eventName: 'told', ...fields });
const call = (fields: object): Opcode => ({ op: 'RunWorkflow', name: 'call', childName: 'other', ...fields });
const other = (runner: string) => (scene: { projectId: string }) =>
  registerWorkflows(test.engine, scene.projectId, [{ name: 'other' }], { app: 'shop', runner });

describe('an event that a step emits to an app', () => {
  it('fails the step if no workflow of that app is started by it, and is not recorded', async () => {
    const { run, projectId } = await runOf(emit({ targetApp: 'shop' }), other('r'));
    const message = 'event names an unregistered workflow';
    expect(await run()).toMatchObject({ status: 'succeeded', result: { error: { message } } });
    expect(await test.db.prisma.event.count({ where: { projectId } })).toBe(0);
  });

  it('is recorded if there is one, even if this process does not know it yet', async () => {
    const { run } = await runOf(emit({ targetApp: 'shop', eventName: 'other' }), async ({ projectId }) => {
      const { db, log, clock, settings } = test.engine;
      const elsewhere = createEngine({ db, log, clock, settings });
      await registerWorkflows(elsewhere, projectId, [{ name: 'other' }], { app: 'shop' });
    });
    expect(await run()).toMatchObject({ result: { data: { runIds: [expect.any(String)] } } });
  });

  it('needs no workflow if it has no app', async () => {
    const { run } = await runOf(emit({}));
    expect(await run()).toMatchObject({ result: { data: { runIds: [] } } });
  });
});

describe('a child that is pinned to a runner', () => {
  it('fails its step at once if that runner never registered it', async () => {
    const { run, rows } = await runOf(call({ childRunner: 'nobody' }), other('r'));
    const message = 'runner nobody never registered workflow other of app shop';
    expect(await run()).toMatchObject({ status: 'succeeded', result: { error: { message } } });
    expect(await rows()).toMatchObject([{ status: 'failed', childRunId: null }]);
  });

  it('waits for a runner that registered it and is gone', async () => {
    const { rows } = await runOf(call({ childRunner: 'r' }), async (scene) => {
      await other('r')(scene);
      await test.db.prisma.runner.updateMany({
        where: { projectId: scene.projectId, runnerId: 'r' },
        data: { connected: false, lastSeenAt: new Date(0) },
      });
    });
    expect(await rows()).toMatchObject([{ childRunId: expect.any(String) }]);
  });
});
