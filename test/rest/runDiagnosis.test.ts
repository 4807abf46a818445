import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
let script: Script;
let dispatcher: ScriptedDispatcher;

beforeAll(async () => {
  rest = await startRest();
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'flow' }]);
});
beforeEach(async () => {
  dispatcher = await new ScriptedDispatcher(rest.engine, (request) => script(request)).start();
});
afterAll(() => rest.close());

async function start(runScript: Script): Promise<string> {
  script = runScript;
  const { runId } = await triggerWorkflow(rest.engine, {
    ...{ projectId: rest.projectId, app: 'default', name: 'flow' },
    input: {},
  });
  await dispatcher.runOnce();
  return runId ?? '';
}

const get = async (path: string, key?: string) => {
  const { status, body } = await rest.call('GET', path, undefined, key === undefined ? {} : { key });
  expect(status).toBe(200);
  return body;
};

describe('GET /runs/{id}/waiting', () => {
  it('lists the causes, each with the fields of its kind; what has no value is absent', async () => {
    const runId = await start(() =>
      steps([
        { op: 'WaitForEvent', name: 'pay', eventName: 'paid', eventIf: 'data > 1' },
        { op: 'Sleep', name: 'nap', sleepMs: 60_000 },
        { op: 'Approval', name: 'sign', tool: 'refund', risk: 'high', data: {} },
      ]),
    );
    expect(await get(`/runs/${runId}/waiting`)).toEqual([
      {
        kind: 'approval',
        since: expect.any(String),
        step: { name: 'sign', index: 2, attempt: 1 },
        approvalId: expect.any(String),
        tool: 'refund',
        risk: 'high',
        isEscalated: false,
        onTimeout: 'escalate',
      },
      {
        kind: 'sleep',
        since: expect.any(String),
        until: expect.any(String),
        step: { name: 'nap', index: 1, attempt: 1 },
      },
      {
        kind: 'event',
        since: expect.any(String),
        step: { name: 'pay', index: 0, attempt: 1 },
        eventName: 'paid',
        guard: 'data > 1',
        refused: [],
      },
    ]);
  });

  it('tells for what a child waits', async () => {
    const runId = await start((request) =>
      JSON.stringify(request.event.data) === '{}'
        ? steps(memoOf(request, 'call') ? [] : [{ op: 'RunWorkflow', name: 'call', childName: 'flow', childData: 1 }])
        : steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]),
    );
    const [cause] = await get(`/runs/${runId}/waiting`);
    expect(cause).toMatchObject({
      ...{ kind: 'child', childStatus: 'waiting', path: [cause.childRunId] },
      because: { kind: 'sleep', step: { name: 'nap' } },
    });
  });

  it('of a run that has ended is empty, and of an unknown run not found', async () => {
    const runId = await start(() => thrown({ message: 'no' }));
    expect(await get(`/runs/${runId}/waiting`)).toEqual([]);
    const { secret } = await rest.stranger();
    for (const route of ['waiting', 'diagnosis'])
      expect(await rest.call('GET', `/runs/${runId}/${route}`, undefined, { key: secret })).toMatchObject({
        status: 404,
        body: { error: 'run not found' },
      });
  });

  it('shows no address of a runner to a public key', async () => {
    const runId = await start(() => ({
      ...{ kind: 'transport', socketLost: false },
      reason: 'connect ECONNREFUSED 10.1.2.3:80 at https://inner.example/invoke?token=1',
    }));
    await rest.engine.db.query(`update run set runner = 'https://inner.example/invoke?token=2' where id = $1`, [runId]);
    const causes = await get(`/runs/${runId}/waiting`, rest.keys.public);
    expect(causes).toMatchObject([{ kind: 'transport', failures: 1, maxFailures: 10 }]);
    await rest.engine.db.query(
      `update run_work set state = 'ready', due_at = null, retry_at = null where run_id = $1`,
      [runId],
    );
    const pinned = await get(`/runs/${runId}/waiting`, rest.keys.public);
    expect(pinned).toMatchObject([{ kind: 'runner', runner: 'https://inner.example/invoke?…' }]);
    for (const shown of [causes, pinned, await get(`/runs/${runId}/diagnosis`, rest.keys.public)])
      expect(JSON.stringify(shown)).not.toMatch(/10\.1|token/);
    await rest.engine.db.query(`update run_work set state = 'parked' where run_id = $1`, [runId]);
  });
});

describe('GET /runs/{id}/diagnosis', () => {
  it('of a failed run has the failure, its log and calls that could follow', async () => {
    const logs = [{ level: 'warn' as const, message: 'low', scope: '@root', index: 0, tsMs: 0 }];
    const runId = await start(() =>
      steps(
        [{ op: 'StepRun', name: 'charge', error: { name: 'CardError', message: 'declined' }, retriable: false }],
        logs,
      ),
    );
    expect(await get(`/runs/${runId}/diagnosis`)).toEqual({
      status: 'failed',
      verdict: 'failed',
      summary: 'The run has failed. A step failed for good, and no attempt of it was left or allowed.',
      causes: [],
      failure: {
        kind: 'step',
        step: { name: 'charge', index: 0, attempts: 1, startedAt: expect.any(String), endedAt: expect.any(String) },
        maxAttempts: 1,
        error: { name: 'CardError', message: 'declined' },
        logs: [
          {
            seq: expect.any(Number),
            ts: expect.any(String),
            level: 'warn',
            message: 'low',
            scope: '@root',
            attempt: 1,
          },
        ],
        alike: { count: 0, isMore: false, runIds: [] },
      },
      next: [
        { action: 'list_run_logs', arguments: { id: runId }, why: expect.any(String) },
        { action: 'retry_run_from_step', arguments: { id: runId, step: 'charge' }, why: expect.any(String) },
      ],
    });
  });

  it('of a waiting run has its causes', async () => {
    const runId = await start(() => steps([{ op: 'Approval', name: 'sign', tool: 'refund', data: {} }]));
    const { causes, ...rest } = await get(`/runs/${runId}/diagnosis`);
    expect(causes).toEqual(await get(`/runs/${runId}/waiting`));
    expect(rest).toMatchObject({ status: 'needs_attention', verdict: 'needs_decision' });
    expect(rest.next).toContainEqual(expect.objectContaining({ action: 'decide_approval' }));
  });

  it('of a cancelled run says who cancelled it', async () => {
    const runId = await start(() => steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]));
    await rest.call('POST', `/runs/${runId}/cancel`);
    expect(await get(`/runs/${runId}/diagnosis`)).toMatchObject({
      verdict: 'cancelled',
      cancellation: { by: 'caller', actor: 'a secret key' },
    });
  });
});
