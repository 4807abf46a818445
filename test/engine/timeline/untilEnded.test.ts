import { expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { untilEnded } from '../../../src/engine/timeline/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

it('a wait for the end of a run reads its status once, however often the run parks and wakes', async () => {
  const { engine, db } = test;
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(engine, (request) => {
    const nap = ['first', 'second'].find((name) => memoOf(request, name) === undefined);
    return nap === undefined ? complete('slept') : steps([{ op: 'Sleep', name: nap, sleepMs: 1_000 }]);
  }).start();
  const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });

  let reads = 0;
  const query = new Proxy(db.query, {
    apply(target, _self, given: [{ name?: string }]) {
      if (given[0].name === 'findRunStatus') reads += 1;
      return Reflect.apply(target, db, given);
    },
  });
  const within = { ...engine, root: engine, db: { ...db, query } };
  const waited = untilEnded(within, {
    projectId,
    runId,
    principal: { kind: 'operator', keyName: 'operator', projectId },
    waitMs: 30_000,
  });
  for (let nap = 0; nap < 2; nap += 1) {
    await dispatcher.runOnce();
    clock.advance(1_000);
  }
  await dispatcher.runOnce();
  await waited;
  expect(await db.prisma.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ status: 'succeeded' });
  expect(reads).toBe(1);
});
