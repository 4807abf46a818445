import { afterAll, beforeAll, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { type RestServer, startRest } from '../rest/restServer.ts';
import { type Script, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { cli } from './cli.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'flow' }]);
});
afterAll(() => rest.close());

const why = (...args: string[]) =>
  cli({ HOLDFAST_URL: rest.url, HOLDFAST_API_KEY: rest.keys.public }, 'runs', 'why', ...args);

async function start(script: Script): Promise<string> {
  const dispatcher = await new ScriptedDispatcher(rest.engine, script).start();
  const address = { projectId: rest.projectId, app: 'default', name: 'flow' };
  const { runId } = await triggerWorkflow(rest.engine, { ...address, input: {} });
  await dispatcher.runOnce();
  return runId ?? '';
}

it('runs why shows the verdict, the causes and what to do; control characters are masked', async () => {
  const runId = await start(() =>
    steps([
      { op: 'Approval', name: 'sign', tool: 'refund \u001b[31m', data: {} },
      { op: 'Sleep', name: 'nap', sleepMs: 9e6 },
    ]),
  );
  const { code, out, err } = await why(runId);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^needs_decision: A person must decide/);
  expect(out).toMatch(/WAITS FOR +STEP +UNTIL +DETAIL\napproval +sign +refund \?\[31m, \S+\nsleep +nap +\d{4}-/);
  expect(out).toContain('decide_approval {"id":');
});

it('runs why of a failed run shows the failure and the last log lines', async () => {
  const logs = [{ level: 'warn' as const, message: 'low on cards', scope: '@root', index: 0, tsMs: 0 }];
  const error = { name: 'CardError', message: 'declined' };
  const runId = await start(() => steps([{ op: 'StepRun', name: 'charge', error, retriable: false }], logs));
  const { out } = await why(runId);
  expect(out).toContain('failure       step\n  step          charge, attempt 1\n  error         CardError: declined');
  expect(out).toContain('  warn  low on cards');
  expect(out).toContain(`retry_run_from_step {"id":"${runId}","step":"charge"}`);
  expect(JSON.parse((await why(runId, '--json')).out)).toMatchObject({ verdict: 'failed', failure: { kind: 'step' } });
});
