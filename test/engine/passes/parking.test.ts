import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { somebodyWaits } from '../../support/lockWaits.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

const discovered = steps([
  { op: 'WaitForEvent', name: 'go', eventName: 'go' },
  { op: 'StepRun', name: 'a', data: 1 },
]);

function script(request: InvokeRequest) {
  const memo = memoOf(request, 'go');
  if (!memo) return discovered;
  return 'pending' in memo ? steps([]) : complete('went');
}

it('an event that waits for the parking commit of its run enqueues the run again', async () => {
  const { engine, db } = test;
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  const [pass] = await dispatcher.claim();
  if (!pass) throw new Error('nothing was claimed');
  expect(await settlePass(engine, pass, discovered)).toBe('again');

  const { sent } = await db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [runId] });
    const sent = sendEvent(engine, { projectId, input: { name: 'go' } });
    await somebodyWaits(db);
    // The commit uses the transaction that holds the lock.
    const within = { ...engine, db: { ...db, query: tx.query.bind(tx) } };
    expect(await settlePass(within, pass, steps([]))).toBe('released');
    return { sent };
  });

  expect(await sent).toMatchObject({ woke: 1 });
  expect(await db.prisma.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ status: 'queued' });
  await dispatcher.runOnce();
  expect(await db.prisma.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ result: 'went' });
  expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
});
