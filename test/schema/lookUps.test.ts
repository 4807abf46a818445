import { beforeAll, describe, expect, it } from 'vitest';
import { recordControl } from '../../src/engine/audit/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertFrame, insertRun, insertStep, insertWorkflows, operator, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
let other: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  other = await createTestProject(test.engine);
});

type Answer = Record<string, unknown>;
const ask = (document: string, variables: Record<string, unknown> = {}, project = projectId): Promise<Answer> =>
  query(test.engine, secretKey(project), document, variables as never);

/** A step of an opcode, as the engine leaves it. */
async function insertOp(runId: string, index: number, op: string, output: string | null = null): Promise<void> {
  await insertStep(test.engine, runId, { index, output });
  await test.db.query({
    text: 'update run_step set op = $3 where run_id = $1 and index = $2',
    values: [runId, index, op],
  });
}

async function insertApproval(runId: string, { index = 0, status = 'pending', risk = 'high' } = {}): Promise<string> {
  const id = newId();
  const data = { id, projectId, runId, stepIndex: index, step: 'ask', tool: 'refund', args: {}, risk, status };
  await test.db.prisma.approval.create({ data: { ...data, escalatesTo: '', onTimeout: 'escalate' } });
  return id;
}

describe('a run', () => {
  it('tells the number of the last frame of its journal', async () => {
    const document = 'query ($id: ID!) { run(id: $id) { seq steps { name } } }';
    const id = await insertRun(test.engine, projectId, { status: 'succeeded' });
    expect(await ask(document, { id })).toEqual({ run: { seq: 0, steps: [] } });
    await insertFrame(test.engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    await insertFrame(test.engine, id, { seq: 2, kind: 'run_status', payload: '{"status":"running"}' });
    expect(await ask(document, { id })).toEqual({ run: { seq: 2, steps: [] } });
  });

  it('gives one attempt of one step, or its last attempt', async () => {
    const id = await insertRun(test.engine, projectId);
    await insertStep(test.engine, id, { index: 0, name: 'first' });
    for (const attempt of [1, 2, 3]) {
      await insertStep(test.engine, id, { index: 1, attempt, name: 'second', status: 'failed' });
    }
    const document = `query ($id: ID!) { run(id: $id) {
      second: stepAt(index: 1, attempt: 2) { name attempt } last: stepAt(index: 1) { name attempt }
      none: stepAt(index: 1, attempt: 4) { name } beyond: stepAt(index: 2) { name } } }`;
    expect(await ask(document, { id })).toEqual({
      run: { second: { name: 'second', attempt: 2 }, last: { name: 'second', attempt: 3 }, none: null, beyond: null },
    });
  });
});

describe('a step', () => {
  const document = `query ($id: ID!) { run(id: $id) { steps {
    index kind approval { id } emittedEvent { name } delivery { id } } } }`;

  it('tells its kind', async () => {
    const id = await insertRun(test.engine, projectId);
    const ops = ['StepRun', 'Sleep', 'SleepUntil', 'WaitForEvent', 'RunWorkflow', 'Infer', 'Score', 'Dance'];
    for (const [index, op] of ops.entries()) await insertOp(id, index, op);
    const { run } = (await ask('query ($id: ID!) { run(id: $id) { steps { kind } } }', { id })) as {
      run: { steps: { kind: string }[] };
    };
    expect(run.steps.map(({ kind }) => kind)).toEqual([
      'RUN',
      'SLEEP',
      'SLEEP',
      'WAIT_FOR_EVENT',
      'RUN_WORKFLOW',
      'INFER',
      'SCORE',
      'UNKNOWN',
    ]);
  });

  it('leads to its approval, to the event that it emitted, and to no row of another project', async () => {
    const id = await insertRun(test.engine, projectId);
    const eventId = newId();
    const event = { id: eventId, projectId, name: 'paid', app: 'shop', source: 'emit', triggered: [] };
    await test.db.prisma.event.create({ data: event as never });
    const foreign = { ...event, id: newId(), projectId: other };
    await test.db.prisma.event.create({ data: foreign as never });
    await insertOp(id, 0, 'Approval');
    await insertOp(id, 1, 'Emit', JSON.stringify({ eventId, runIds: [] }));
    await insertOp(id, 2, 'Emit', JSON.stringify({ eventId: foreign.id, runIds: [] }));
    await insertOp(id, 3, 'Webhook', JSON.stringify({ deliveryId: newId() }));
    await insertOp(id, 4, 'StepRun', JSON.stringify({ eventId }));
    const approvalId = await insertApproval(id);
    const none = { approval: null, emittedEvent: null, delivery: null };
    expect(await ask(document, { id })).toEqual({
      run: {
        steps: [
          { ...none, index: 0, kind: 'APPROVAL', approval: { id: approvalId } },
          { ...none, index: 1, kind: 'EMIT', emittedEvent: { name: 'paid' } },
          { ...none, index: 2, kind: 'EMIT' },
          { ...none, index: 3, kind: 'WEBHOOK' },
          { ...none, index: 4, kind: 'RUN' },
        ],
      },
    });
  });
});

describe('lists', () => {
  it('of approvals are filtered by app, workflow, risk, and whether they are open', async () => {
    const project = projectId;
    const run = await insertRun(test.engine, project, { app: 'bank', workflow: 'refund' });
    const ids = [
      await insertApproval(run, { index: 0 }),
      await insertApproval(run, { index: 1, status: 'escalated', risk: 'low' }),
      await insertApproval(run, { index: 2, status: 'cancelled' }),
    ];
    const document = `query ($isOpen: Boolean, $app: String, $workflow: String, $risk: String) {
      approvals(isOpen: $isOpen, app: $app, workflow: $workflow, risk: $risk) { nodes { id } } }`;
    const found = async (variables: object): Promise<number[]> => {
      const { approvals } = (await ask(document, { ...variables }, project)) as {
        approvals: { nodes: { id: string }[] };
      };
      return approvals.nodes.map(({ id }) => ids.indexOf(id)).sort();
    };
    expect(await found({ isOpen: true, app: 'bank' })).toEqual([0, 1]);
    expect(await found({ isOpen: false, app: 'bank' })).toEqual([2]);
    expect(await found({ risk: 'high', app: 'bank', workflow: 'refund' })).toEqual([0, 2]);
    expect(await found({ app: 'bakery' })).toEqual([]);
  });

  it('of control actions are filtered by actor and time', async () => {
    const project = await createTestProject(test.engine);
    await recordControl(test.engine, { projectId: project, action: 'cancel', actor: 'ci' });
    await recordControl(test.engine, { projectId: project, action: 'pause', actor: 'ops' });
    const document = `query ($actor: String, $since: DateTime, $until: DateTime) {
      controlActions(actor: $actor, since: $since, until: $until) { nodes { action } } }`;
    const found = async (variables: object) => {
      const { controlActions } = (await ask(document, { ...variables }, project)) as {
        controlActions: { nodes: { action: string }[] };
      };
      return controlActions.nodes.map(({ action }) => action);
    };
    expect(await found({ actor: 'ci' })).toEqual(['CANCEL']);
    expect(await found({ since: '2020-01-01T00:00:00Z' })).toEqual(['PAUSE', 'CANCEL']);
    expect(await found({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
  });
});

describe('one workflow', () => {
  const document = `query ($app: String!, $name: String!) {
    workflow(app: $app, name: $name) { name schedules { upcoming(count: 3) } } }`;

  it('is found by app and name, with the next times of its schedules', async () => {
    const project = await createTestProject(test.engine);
    await insertWorkflows(test.engine, project, [{ app: 'shop', name: 'nightly' }]);
    const { id } = await test.db.prisma.workflow.findFirstOrThrow({ where: { projectId: project } });
    const nextFireAt = new Date('2026-03-01T02:00:00Z');
    await test.db.prisma.cronSchedule.create({
      data: { id: newId(), workflowId: id, cron: '0 2 * * *', nextFireAt } as never,
    });
    const upcoming = [1, 2, 3].map((day) => `2026-03-0${day}T02:00:00.000Z`);
    expect(await ask(document, { app: 'shop', name: 'nightly' }, project)).toEqual({
      workflow: { name: 'nightly', schedules: [{ upcoming }] },
    });
    expect(await ask(document, { app: 'shop', name: 'nightly' }, other)).toEqual({ workflow: null });
    expect(await ask(document, { app: 'shop', name: 'a\u0000b' }, project)).toEqual({ workflow: null });
  });

  it('tells at most 20 times', async () => {
    const project = await createTestProject(test.engine);
    await insertWorkflows(test.engine, project, [{ app: 'shop', name: 'nightly' }]);
    const { id } = await test.db.prisma.workflow.findFirstOrThrow({ where: { projectId: project } });
    await test.db.prisma.cronSchedule.create({
      data: { id: newId(), workflowId: id, cron: '@daily', nextFireAt: new Date() } as never,
    });
    const many = '{ workflows { schedules { upcoming(count: 21) } } }';
    await expect(ask(many, {}, project)).rejects.toThrow('count must be an integer from 1 to 20');
  });
});

describe('the caller', () => {
  it('sees its own key, without its secret', async () => {
    const issued = await createApiKey(test.engine, { projectId: other, name: 'mine', kind: 'secret' });
    const principal = { kind: 'secret', keyId: issued.apiKey.id, keyName: 'mine', projectId: other } as const;
    const document = '{ viewer { key { id hint expiresAt } } }';
    expect(await query(test.engine, principal, document)).toEqual({
      viewer: { key: { id: issued.apiKey.id, hint: issued.apiKey.hint, expiresAt: null } },
    });
    expect(await query(test.engine, operator(), document)).toEqual({ viewer: { key: null } });
  });

  it('finds a project by its id as the operator only', async () => {
    const document = 'query ($id: ID!) { project(id: $id) { id } }';
    expect(await query(test.engine, operator(), document, { id: other })).toEqual({ project: { id: other } });
    await expect(query(test.engine, operator(), document, { id: newId() })).rejects.toThrow('project not found');
    await expect(ask(document, { id: projectId })).rejects.toThrow('operator');
  });
});
