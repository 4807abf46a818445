import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendEvent } from '../../src/engine/events/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { createEndpoint, createSource } from '../../src/engine/webhooks/config/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import {
  insertRun,
  insertStep,
  insertWorkflows,
  publicKey,
  query,
  type Recording,
  recordStatements,
  secretKey,
} from './fixtures.ts';

const test = useEngine();
let recording: Recording;
let projectId: string;

beforeAll(() => {
  recording = recordStatements(test.engine);
});
beforeEach(async () => {
  projectId = await createTestProject(test.engine);
  recording.clear();
});

const ask = (document: string, variables: Record<string, unknown> = {}, project = projectId) =>
  query(recording.engine, secretKey(project), document, variables);

const node = 'query ($id: ID!) { node(id: $id) { __typename id } }';

describe('links', () => {
  it('lead from runs to their workflows, by one statement for the whole list', async () => {
    await insertWorkflows(test.engine, projectId, [
      { app: 'shop', name: 'order' },
      { app: 'shop', name: 'refund' },
      { app: 'other', name: 'order' },
    ]);
    for (const workflow of ['order', 'order', 'refund', 'gone']) await insertRun(test.engine, projectId, { workflow });
    recording.clear();
    const { runs } = await ask('{ runs { nodes { workflow definition { id app name maxAttempts } } } }');
    const { nodes } = runs as { nodes: { workflow: string; definition: { app: string; name: string } | null }[] };
    expect(nodes.map(({ workflow, definition }) => [workflow, definition?.app, definition?.name])).toEqual([
      ['gone', undefined, undefined],
      ['refund', 'shop', 'refund'],
      ['order', 'shop', 'order'],
      ['order', 'shop', 'order'],
    ]);
    expect(recording.statements).toHaveLength(2);
  });

  it('do not lead to workflows of another project', async () => {
    const other = await createTestProject(test.engine);
    await insertWorkflows(test.engine, other, [{ app: 'shop', name: 'order' }]);
    const id = await insertRun(test.engine, projectId);
    expect(await ask('query ($id: ID!) { run(id: $id) { definition { name } } }', { id })).toEqual({
      run: { definition: null },
    });
  });

  it('lead from steps to the children that they called, by one statement', async () => {
    const id = await insertRun(test.engine, projectId);
    const children: string[] = [];
    for (const index of [0, 1]) {
      const child = await insertRun(test.engine, projectId, { parentRunId: id });
      children.push(child);
      await insertStep(test.engine, id, { index });
      await test.db.query({
        text: 'update run_step set child_run_id = $1 where run_id = $2 and index = $3',
        values: [child, id, index],
      });
    }
    await insertStep(test.engine, id, { index: 2 });
    recording.clear();
    const { run } = await ask('query ($id: ID!) { run(id: $id) { steps { id child { id } } } }', { id });
    expect(run).toEqual({
      steps: [
        { id: `${id}.0.1`, child: { id: children[0] } },
        { id: `${id}.1.1`, child: { id: children[1] } },
        { id: `${id}.2.1`, child: null },
      ],
    });
    expect(recording.statements).toHaveLength(3);
  });

  it('lead from events to the runs that they started, in a bounded list', async () => {
    // Without triggers, an event of its name starts a workflow.
    await insertWorkflows(test.engine, projectId, [
      { app: 'shop', name: 'x' },
      { app: 'other', name: 'x' },
    ]);
    const { eventId, triggered } = await sendEvent(test.engine, { projectId, input: { name: 'x' } });
    const ids = triggered.flatMap(({ runId }) => runId ?? []);
    expect(ids).toHaveLength(2);
    const document = 'query ($id: ID!, $limit: Int) { event(id: $id) { runs(limit: $limit) { id } } }';
    recording.clear();
    expect(await ask(document, { id: eventId })).toEqual({ event: { runs: ids.map((id) => ({ id })) } });
    expect(recording.statements).toHaveLength(2);
    expect(await ask(document, { id: eventId, limit: 1 })).toEqual({ event: { runs: [{ id: ids[0] }] } });
    await expect(ask(document, { id: eventId, limit: 0 })).rejects.toThrow('limit must be an integer of at least 1');
  });
});

describe('node(id)', () => {
  /** One thing of each type, as type and id. */
  async function things(): Promise<[string, string][]> {
    const { engine } = test;
    await insertWorkflows(engine, projectId, [{ app: 'shop', name: 'order' }]);
    const { workflow, runner } = test.db.prisma;
    const { id: workflowId } = await workflow.findFirstOrThrow({ where: { projectId } });
    const runnerId = newId();
    const shown = { app: 'shop', runnerId: 'r', transport: 'connect', url: 'conn://r', workflows: [] };
    await runner.create({ data: { id: runnerId, projectId, connectionId: newId(), ...shown } });
    const run = await insertRun(engine, projectId, { session: 'talk' });
    await insertStep(engine, run, { index: 3, attempt: 2 });
    const { eventId } = await sendEvent(engine, { projectId, input: { name: 'x' } });
    const url = 'https://example.com/hook';
    const { endpoint } = await createEndpoint(engine, {
      projectId,
      actor: 'test',
      url,
      eventKinds: ['run.failed'],
    });
    const { source } = await createSource(engine, { projectId, actor: 'test', eventName: 'y' });
    return [
      ['Workflow', workflowId],
      ['Runner', runnerId],
      ['Run', run],
      ['RunStep', `${run}.3.2`],
      ['Session', 'session:talk'],
      ['Event', eventId],
      ['WebhookEndpoint', endpoint.id],
      ['WebhookSource', source.id],
    ];
  }

  it('finds a thing of each type, and none for a key of another project', async () => {
    const other = await createTestProject(test.engine);
    for (const [type, id] of await things()) {
      expect(await ask(node, { id }), type).toEqual({ node: { __typename: type, id } });
      expect(await ask(node, { id: id.replace(/^[0-9a-f-]{36}/, (uuid) => uuid.toUpperCase()) }), type).toEqual({
        node: { __typename: type, id },
      });
      expect(await ask(node, { id }, other), type).toEqual({ node: null });
    }
  });

  it.each([
    'nonsense',
    '',
    'session:',
    'session:nobody',
    '01890000-0000-7000-8000-000000000000',
    '01890000-0000-7000-8000-000000000000.0.1',
    'no-uuid-of-thirty-six-characters-0000.0.1',
    '01890000-0000-7000-8000-000000000000.999999999.999999999',
  ])('answers null for %j', async (id) => {
    expect(await ask(node, { id })).toEqual({ node: null });
  });

  it('answers the fields of its type, by one statement for the type and one for the row', async () => {
    for (const [type, id] of await things()) {
      recording.clear();
      const document = `query ($id: ID!) { node(id: $id) {
        ... on Workflow { name maxAttempts schedules { cron } } ... on Runner { runnerId live }
        ... on Run { workflow status } ... on Session { runs byStatus { queued } }
        ... on Event { receivedAt } ... on RunStep { index attempt } ... on WebhookEndpoint { url } } }`;
      const { node: found } = await ask(document, { id });
      if (type === 'Workflow') expect(found).toEqual({ name: 'order', maxAttempts: 1, schedules: null });
      if (type === 'Runner') expect(found).toEqual({ runnerId: 'r', live: true });
      if (type === 'Session') expect(found).toEqual({ runs: 1, byStatus: { queued: 1 } });
      if (type === 'RunStep') expect(found).toEqual({ index: 3, attempt: 2 });
      expect(recording.statements.length, type).toBeLessThanOrEqual(3);
    }
  });

  it('counts all runs of a session, also of one that is a single run', async () => {
    const id = await insertRun(test.engine, projectId);
    const document = 'query ($id: ID!) { node(id: $id) { ... on Session { session runs } } }';
    expect(await ask(document, { id: `session:${id}` })).toEqual({ node: { session: id, runs: 1 } });
  });

  it('answers a public key, which sees no secrets', async () => {
    for (const [type, id] of await things()) {
      const found = await query(recording.engine, publicKey(projectId), node, { id });
      expect(found, type).toEqual({ node: { __typename: type, id } });
    }
  });
});
