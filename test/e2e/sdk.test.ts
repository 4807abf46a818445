import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Connection, eventType, Holdfast, type WorkflowFailure } from '../../sdk/src/index.ts';
import { type Service, startService } from '../../src/service.ts';
import { loadSettings } from '../../src/settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let dataDir: string;
let service: Service;
let hf: Holdfast;
let connection: Connection;

const orderPaid = eventType<{ orderId: string; cents: number }>('order.paid');
const failures: WorkflowFailure<unknown>[] = [];
const errors: Error[] = [];
let childAttempts = 0;

class OutOfStock extends Error {
  override name = 'OutOfStock';
}

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast sdk '));
  const settings = loadSettings({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    ALLOW_UNSAFE_DATABASE: 'true',
  });
  service = await startService(settings, pino({ level: process.env['TEST_LOG'] ?? 'silent' }));
  const { secretKey } = JSON.parse(await readFile(service.keysFile ?? '', 'utf8'));
  hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: secretKey, app: 'shop' });
  define();
  connection = hf.connect({ runner: 'r1' });
  await connection.ready;
}, 30_000);

afterAll(async () => {
  await connection?.close();
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
  await database?.drop();
});

function define(): void {
  const packOrder = hf.workflow({ id: 'pack', triggers: [orderPaid] }, async ({ event, step, run }) => {
    if (event.data.cents === 0) throw new OutOfStock('none left');
    const parcel = await step.run('wrap', () => `parcel of ${event.data.orderId}`);
    return { parcel, tags: run.tags };
  });
  hf.workflow({ id: 'ship' }, async ({ step }) => {
    const data = { orderId: 'o1', cents: 1 };
    const [one, two] = await Promise.all([
      step.runWorkflow('pack', packOrder, { data, tags: { own: 'child' } }),
      step.runWorkflow('pack', { name: 'pack' }, { data: { ...data, orderId: 'o2' } }),
    ]);
    return { one, two };
  });
  hf.workflow({ id: 'hopeful' }, async ({ step }) => {
    try {
      await step.runWorkflow('pack', packOrder, { data: { orderId: 'o1', cents: 0 } });
      return 'packed';
    } catch (error) {
      return error instanceof Error && { name: error.name, message: error.message };
    }
  });
  hf.workflow({ id: 'flaky child' }, async () => {
    childAttempts += 1;
    if (childAttempts === 1) throw new Error('first time');
    return childAttempts;
  });
  hf.workflow({ id: 'patient', retry: { maxAttempts: 2, initialDelayMs: 10 } }, ({ step }) =>
    step.runWorkflow('call', { name: 'flaky child' }),
  );
  hf.workflow(
    {
      id: 'fragile',
      onFailure: async ({ event, error, step }) => {
        await step.run('tell', () => {
          failures.push(event.data);
          errors.push(error);
        });
        return 'told';
      },
    },
    async ({ step }) => {
      await step.run('break', () => {
        throw new OutOfStock('in two');
      });
    },
  );
  hf.workflow({ id: 'scored' }, async ({ step }) => {
    const { scoreId } = await step.score('rate', { name: 'quality', value: 0.9, model: 'm' });
    await step.sleep('nap', 1);
    return scoreId;
  });
  hf.workflow({ id: 'telling' }, ({ step }) =>
    step.webhook('tell', { url: 'https://partner.invalid/', data: { n: 1 } }),
  );
  hf.workflow({ id: 'asking' }, ({ step }) =>
    step.approval('refund?', { tool: 'refund', args: { cents: 4200 }, risk: 'high', summary: 'a refund' }),
  );
  hf.workflow({ id: 'impatient' }, async ({ step }) => {
    try {
      await step.approval('now?', { tool: 'x', args: null, timeout: 1, onTimeout: 'fail' });
    } catch (error) {
      return error instanceof Error && error.name;
    }
  });
  hf.workflow({ id: 'tick', triggers: [{ cron: '* * * * * *' }] }, async ({ event }) => ({ event }));
}

const patient = { timeout: 20_000 };

async function runToEnd(name: string, options: { input?: unknown; tags?: Record<string, string> } = {}) {
  const { runId } = await hf.workflows.trigger({ name }, options);
  if (runId === undefined) throw new Error('no run was started');
  return hf.runs.wait(runId, { timeoutMs: 20_000 });
}

const openApproval = (runId: string) =>
  vi.waitFor(async () => {
    const [approval] = await hf.approvals.list({ runId, status: 'pending' });
    if (!approval) throw new Error('nobody has been asked yet');
    return approval;
  }, patient);

describe('a start that is repeated by its dedupeId', () => {
  it('is waited for in one line, however often, and its run is found by the id', async () => {
    const once = async () =>
      hf.runs.wait(await hf.workflows.trigger({ name: 'scored' }, { dedupeId: '2030-01' }), { timeoutMs: 20_000 });
    const first = await once();
    expect(first).toMatchObject({ status: 'succeeded', result: expect.any(String) });
    expect(await once()).toEqual(first);
    const found: string[] = [];
    for await (const { id } of hf.runs.list({ dedupeId: '2030-01' })) found.push(id);
    expect(found).toEqual([first.id]);
  });
});

describe('a workflow that calls others', () => {
  it('runs them at the same time and gets their results, each a run of its own with its tags', async () => {
    const run = await runToEnd('ship', { tags: { order: '7' } });
    expect(run).toMatchObject({
      status: 'succeeded',
      result: {
        one: { parcel: 'parcel of o1', tags: { order: '7', own: 'child' } },
        two: { parcel: 'parcel of o2', tags: { order: '7' } },
      },
    });
    const steps = await hf.runs.steps(run.id);
    const children = await Promise.all(steps.map(({ childRunId = '' }) => hf.runs.get(childRunId)));
    expect(children).toMatchObject(
      ['pack', 'pack:1'].map((parentStep) => ({ parentRunId: run.id, parentStep, parentAttempt: 1, depth: 1 })),
    );
  });

  it('catches a child’s failure by its name and message', async () => {
    const { result } = await runToEnd('hopeful');
    expect(result).toEqual({ name: 'OutOfStock', message: 'none left' });
  });

  it('calls a child anew while the step has attempts', async () => {
    const run = await runToEnd('patient');
    expect(run).toMatchObject({ status: 'succeeded', result: 2 });
    expect((await hf.runs.steps(run.id)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'failed'],
      [2, 'succeeded'],
    ]);
  });
});

describe('a workflow that handles its failures', () => {
  it('is run once more for each failed run, with its error and what it was started with', async () => {
    const failed = await runToEnd('fragile', { input: { n: 1 } });
    expect(failed).toMatchObject({ status: 'failed', error: { name: 'OutOfStock', message: 'in two' } });
    await vi.waitFor(() => expect(failures).toHaveLength(1), patient);
    const { id } = failed;
    expect(failures).toMatchObject([
      { runId: id, app: 'shop', workflow: 'fragile', event: { name: 'fragile', data: { n: 1 } } },
    ]);
    expect(failures[0]?.error).toMatchObject({ name: 'OutOfStock', message: 'in two' });
    expect(errors[0]).toMatchObject({ name: 'OutOfStock', message: 'in two' });
    const followOn = await vi.waitFor(async () => {
      for await (const run of hf.runs.list({ workflow: 'fragile', status: 'succeeded' })) return hf.runs.get(run.id);
      throw new Error('not over yet');
    }, patient);
    expect(followOn).toMatchObject({ onFailureOf: id, eventName: 'workflow.failed', result: 'told' });
  });
});

it('a score is kept once, however often the handler runs', async () => {
  const { id, result } = await runToEnd('scored');
  const { rows } = await database.db.query('select id, name, value, data from score where run_id = $1', [id]);
  expect(rows).toMatchObject([{ id: result, name: 'quality' }]);
});

it('a message to a URL is enqueued with its run, which goes on at once with the id of the delivery', async () => {
  const run = await runToEnd('telling');
  expect(run).toMatchObject({ status: 'succeeded', result: { deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
  expect(await hf.runs.steps(run.id)).toMatchObject([
    { name: 'tell', status: 'succeeded', input: { n: 1 }, output: run.result },
  ]);
});

describe('an approval', () => {
  it('hands the decision with its edited arguments to the handler', async () => {
    const { runId = '' } = await hf.workflows.trigger({ name: 'asking' });
    const approval = await openApproval(runId);
    expect(approval).toMatchObject({ tool: 'refund', args: { cents: 4200 }, risk: 'high', summary: 'a refund' });
    expect((await hf.runs.get(runId)).status).toBe('needs_attention');
    const decided = await hf.approvals.decide(approval.id, { status: 'approved', args: { cents: 100 } });
    expect(decided).toMatchObject({ status: 'approved', editedArgs: { cents: 100 }, decidedVia: 'api' });
    expect(await hf.approvals.get(approval.id)).toEqual(decided);
    const { result } = await hf.runs.wait(runId, { timeoutMs: 20_000 });
    expect(result).toMatchObject({
      status: 'approved',
      args: { cents: 100 },
      editedArgs: { cents: 100 },
      decidedVia: 'api',
      decidedBy: decided.decidedBy,
    });
    await expect(hf.approvals.decide(approval.id, { status: 'denied' })).rejects.toMatchObject({ status: 409 });
  });

  it('that is denied is no error', async () => {
    const { runId = '' } = await hf.workflows.trigger({ name: 'asking' });
    await hf.approvals.decide((await openApproval(runId)).id, { status: 'denied' });
    const run = await hf.runs.wait(runId, { timeoutMs: 20_000 });
    expect(run).toMatchObject({ status: 'succeeded', result: { status: 'denied', args: { cents: 4200 } } });
  });

  it('whose deadline fails it throws an ApprovalTimeoutError', async () => {
    expect((await runToEnd('impatient')).result).toBe('ApprovalTimeoutError');
  });
});

describe('run control', () => {
  it('pauses a parked run, resumes it, and replays it with another input or from a step', async () => {
    const { runId = '' } = await hf.workflows.trigger({ name: 'asking' });
    const { id } = await openApproval(runId);
    expect(await hf.runs.pause(runId)).toMatchObject({ id: runId, status: 'paused', pausedBy: { reason: 'manual' } });
    await hf.approvals.decide(id, { status: 'denied' });
    expect(await hf.runs.resume(runId)).toMatchObject({ id: runId });
    await hf.runs.wait(runId, { timeoutMs: 20_000 });
    const scored = await runToEnd('scored', { input: { n: 1 } });
    const replayed = await hf.runs.replay(scored.id, { input: { n: 2 } });
    expect(replayed).toMatchObject({ id: expect.any(String), status: 'queued' });
    expect(await hf.runs.wait(replayed.id, { timeoutMs: 20_000 })).toMatchObject({
      status: 'succeeded',
      replayOf: scored.id,
      input: { n: 2 },
    });
    const retried = await hf.runs.retryFromStep(scored.id, 'nap');
    expect(await hf.runs.wait(retried.id, { timeoutMs: 20_000 })).toMatchObject({ result: scored.result });
  });
});

it('a schedule starts runs by itself, which know the instant that was due', async () => {
  const run = await vi.waitFor(async () => {
    for await (const each of hf.runs.list({ workflow: 'tick', status: 'succeeded' })) return hf.runs.get(each.id);
    throw new Error('no tick yet');
  }, patient);
  expect(run).toMatchObject({
    triggerKind: 'cron',
    result: { event: { name: 'tick', data: { cron: '* * * * * *', scheduledAt: expect.any(String) } } },
  });
  expect(run.eventId).toBeUndefined();
});
