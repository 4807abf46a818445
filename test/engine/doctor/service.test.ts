import { beforeAll, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

const ok = (name: string) => ({ op: 'StepRun' as const, name, data: name });

/**
 * Steps, parallel steps, sleeps, waits, retries, failures and emitted events, by the workflow's
 * name.
 */
const script: Script = (request) => {
  const has = (name: string) => memoOf(request, name) !== undefined;
  const pending = (name: string) => JSON.stringify(memoOf(request, name)) === '{"pending":true}';
  const line = { level: 'info', message: 'pass', scope: '@root', index: 0, tsMs: 0 } as const;
  switch (request.ctx.workflow) {
    case 'steps':
      if (!has('a')) return steps([ok('a'), ok('b'), { op: 'Sleep', name: 'nap', sleepMs: 1000 }], [line]);
      return pending('nap') ? steps([], [line]) : complete('done', [line]);
    case 'waits':
      if (!has('paid'))
        return steps([{ op: 'WaitForEvent', name: 'paid', eventName: 'order.paid', timeoutMs: 60_000 }]);
      return complete(memoOf(request, 'paid'));
    case 'flaky':
      if (request.ctx.attempt === 1) return thrown({ message: 'the pass failed' }, [line]);
      if (has('f')) return pending('f') ? steps([]) : complete(null);
      return steps([request.ctx.stepAttempts ? ok('f') : { op: 'StepRun', name: 'f', error: { message: 'no' } }]);
    default:
      return has('told') ? thrown({ message: 'at last' }) : steps([{ op: 'Emit', name: 'told', eventName: 'steps' }]);
  }
};

const findings = async () => {
  const { checks } = await runDoctor(test.engine);
  return checks.flatMap(({ violations }) => violations.map(({ message }) => message));
};

it('the engine causes no violation at any stage', async () => {
  const { engine } = test;
  const names = ['steps', 'waits', 'flaky', 'emits'];
  const retry = { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 500 } as const;
  await registerWorkflows(
    engine,
    projectId,
    names.map((name) => ({ name, retry })),
  );
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const start = (name: string) => triggerWorkflow(engine, { projectId, app: 'default', name, input: {} });
  for (const name of names) for (let count = 0; count < 3; count++) await start(name);
  const dedupeId = newId();
  for (let count = 0; count < 2; count++) await sendEvent(engine, { projectId, input: { name: 'steps', dedupeId } });
  expect(await findings()).toEqual([]);

  const passes = await dispatcher.claim(1);
  expect(await findings()).toEqual([]);
  await Promise.all(passes.map((pass) => dispatcher.drive(pass)));

  await dispatcher.runOnce();
  const { runId } = await start('waits');
  await dispatcher.runOnce();
  if (runId) await cancelRun(engine, { projectId, runId, actor: 'test' });
  expect(await findings()).toEqual([]);

  const data = RawJson.of({ id: 'inner' });
  const { woke } = await sendEvent(engine, { projectId, input: { name: 'order.paid', data } });
  expect(woke).toBeGreaterThan(0);
  for (const ms of [600, 600, 1100, 61_000]) {
    clock.advance(ms);
    await dispatcher.runOnce();
    expect(await findings()).toEqual([]);
  }
  const statuses = await test.db.prisma.run.groupBy({ by: ['status'], orderBy: { status: 'asc' } });
  expect(statuses.map(({ status }) => status)).toEqual(['cancelled', 'failed', 'succeeded']);
});
