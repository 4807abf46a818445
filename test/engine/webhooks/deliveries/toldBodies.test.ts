import { beforeAll, expect, test } from 'vitest';
import { triggerWorkflow } from '../../../../src/engine/admission/index.ts';
import { lifecycleKinds } from '../../../../src/engine/lifecycle/index.ts';
import { listDeliveries, selectDeliveryBodies } from '../../../../src/engine/webhooks/deliveries/index.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../support/workflows.ts';
import { insertEndpoint } from './scene.ts';

const on = useEngine();
let projectId: string;
let endpointId: string;

const script: Script = (request) => {
  if (memoOf(request, 'two')) return complete(null);
  const name = memoOf(request, 'one') ? 'two' : 'one';
  return steps([{ op: 'StepRun', name, data: name === 'one' ? { n: 1 } : null }]);
};

beforeAll(async () => {
  projectId = await createTestProject(on.engine);
  endpointId = await insertEndpoint(on.engine, projectId, { eventKinds: lifecycleKinds });
  await registerWorkflows(on.engine, projectId, [{ name: 'flow' }], { app: 'shop' });
});

async function bodiesOf(runId: string): Promise<{ kind: string; run: { status: string } }[]> {
  const page = await listDeliveries(on.engine, { projectId, filter: { runId }, after: undefined, limit: 200 });
  const rows = await selectDeliveryBodies(on.db, { ids: page.rows.map(({ id }) => id) });
  const texts = new Map(rows.map(({ id, payload }) => [id, payload ?? '']));
  return page.rows.map(({ id }) => JSON.parse(texts.get(id) ?? '')).reverse();
}

test('bodies tell what was committed with them, also after the run went on and ended', async () => {
  const dispatcher = await new ScriptedDispatcher(on.engine, script).start();
  const call = { projectId, app: 'shop', name: 'flow', input: { tags: { team: 'a' } } };
  const { runId = '' } = await triggerWorkflow(on.engine, call);
  await dispatcher.runOnce();
  const early = await bodiesOf(runId);
  expect(early[0]).toMatchObject({
    kind: 'step.succeeded',
    run: { id: runId, app: 'shop', workflow: 'flow', status: 'running', triggerKind: 'manual', tags: { team: 'a' } },
    step: { name: 'one', index: 0, attempt: 1, status: 'succeeded', output: { n: 1 } },
  });
  expect(early[0]?.run).not.toHaveProperty('endedAt');
  for (let pass = 0; pass < 3; pass++) await dispatcher.runOnce();
  const bodies = await bodiesOf(runId);
  expect(bodies[0]).toEqual(early[0]);
  expect(bodies.map(({ kind, run }) => [kind, run.status])).toEqual([
    ['step.succeeded', 'running'],
    ['step.succeeded', 'running'],
    ['run.succeeded', 'succeeded'],
  ]);
  expect(bodies[1]).toMatchObject({ step: { name: 'two', output: null } });
  const run = await on.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  expect(bodies[2]).toMatchObject({ ts: run.endedAt?.toISOString(), run: { endedAt: run.endedAt?.toISOString() } });
  const all = await on.db.prisma.webhookDelivery.findMany({ where: { endpointId } });
  expect(all).toHaveLength(3);
});
