import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../../src/engine/engine.ts';
import { triggerWorkflow } from '../../../src/engine/runs/index.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { complete, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

let test: TestEngine;

beforeAll(async () => {
  test = await createTestEngine();
});
afterAll(() => test.close());

/** A run that waits for its child, which is over. */
async function startWithEndedChild(): Promise<{ parentId: string; childId: string }> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'parent' }, { name: 'child' }]);
  const engine = createEngine({ db: refusingOnce(test.db, 'loadOutcomes'), log: pino({ level: 'silent' }) });
  const dispatcher = await new ScriptedDispatcher(engine, ({ ctx }) =>
    ctx.workflow === 'child' ? complete(1) : steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]),
  ).start();
  const { runId: parentId } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'parent', input: {} });
  if (!parentId) throw new Error('no run was started');
  await dispatcher.runOnce();
  await dispatcher.runOnce();
  const child = await test.db.prisma.run.findFirstOrThrow({ where: { parentRunId: parentId } });
  return { parentId, childId: child.id };
}

describe('consequences of a run that is over', () => {
  it('which the database would not have drawn at once are drawn a moment later, without anybody asking', async () => {
    const { parentId, childId } = await startWithEndedChild();
    expect(await test.db.prisma.run.findUnique({ where: { id: childId } })).toMatchObject({ status: 'succeeded' });
    await vi.waitFor(async () => {
      expect(await test.db.prisma.runWork.findUnique({ where: { runId: parentId } })).toMatchObject({ state: 'ready' });
      expect(await test.db.prisma.runOutcome.count()).toBe(0);
    });
  });
});
