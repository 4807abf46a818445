import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { prepare, subscribeTo } from '../../src/schema/index.ts';
import { insertAttempt, insertDelivery, insertEndpoint, insertWork } from '../engine/webhooks/deliveries/scene.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, insertRun, publicKey, query, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

const ask = (document: string, variables = {}, engine = test.engine) =>
  query(engine, secretKey(projectId), document, variables);

describe('the deliveries of runs', () => {
  it('are read with one statement per field, for any number of runs, newest first', async () => {
    const project = await createTestProject(test.engine);
    const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1000);
    const expected: Record<string, string[]> = {};
    for (let n = 0; n < 5; n++) {
      const runId = await insertRun(test.engine, project, { status: 'succeeded', result: `${n}` });
      expected[runId] = [];
      for (let m = 0; m < 3; m++) {
        const id = await insertDelivery(test.engine, project, { runId, runStatus: 'succeeded', createdAt: at(m) });
        await insertAttempt(test.engine, id, { attempt: 1 });
        expected[runId]?.unshift(id);
      }
    }
    const { engine, statements } = recordStatements(test.engine);
    const document = `{ runs { nodes { id deliveries(limit: 2) { id payload sourceRunId attempts { attempt } } } } }`;
    const { runs } = (await query(engine, secretKey(project), document)) as {
      runs: { nodes: { id: string; deliveries: { id: string; payload: { id: string }; attempts: unknown[] }[] }[] };
    };
    for (const { id, deliveries } of runs.nodes) {
      expect(deliveries.map((each) => each.id)).toEqual(expected[id]?.slice(0, 2));
      for (const each of deliveries)
        expect(each).toMatchObject({ payload: { id: each.id }, sourceRunId: id, attempts: [{ attempt: 1 }] });
    }
    expect(statements.filter((name) => /Deliver/.test(name)).sort()).toEqual([
      'selectDeliveryAttempts',
      'selectDeliveryBodies',
      'selectRunDeliveries',
    ]);
  });

  it('include the sends of steps, which name no run', async () => {
    const runId = await insertRun(test.engine, projectId);
    await insertDelivery(test.engine, projectId, { runId, eventKind: 'custom', payload: '1' });
    const document = `query ($id: ID!) { run(id: $id) { deliveries { eventKind sourceRunId sourceRun { id } payload } } }`;
    expect(await ask(document, { id: runId })).toEqual({
      run: { deliveries: [{ eventKind: 'CUSTOM', sourceRunId: null, sourceRun: null, payload: 1 }] },
    });
  });
});

it('a page of large bodies ends early, and takes one statement for them', async () => {
  const project = await createTestProject(test.engine);
  for (let n = 0; n < 25; n++)
    await insertDelivery(test.engine, project, { eventKind: 'custom', payload: JSON.stringify('x'.repeat(998)) });
  const { engine, statements } = recordStatements(test.engine);
  const limits = { ...defaultEngineSettings.limits, pageMaxBytes: 10_000 };
  const small = { ...engine, settings: { ...engine.settings, limits } };
  const document = `query ($after: String) {
    webhookDeliveries(first: 100, after: $after) { nodes { payload } pageInfo { hasNextPage endCursor } }
  }`;
  const sizes: number[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const { webhookDeliveries } = (await query(small, secretKey(project), document, { after })) as {
      webhookDeliveries: { nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    };
    sizes.push(webhookDeliveries.nodes.length);
    after = webhookDeliveries.pageInfo.endCursor;
    more = webhookDeliveries.pageInfo.hasNextPage;
  }
  expect(sizes).toEqual([10, 10, 5]);
  expect(statements.filter((name) => name === 'selectDeliveryBodies')).toHaveLength(3);
});

describe('webhookDeliveries', () => {
  type Filter = Record<string, string | readonly string[]>;
  const document = `query ($statuses: [WebhookDeliveryStatus!], $status: WebhookDeliveryStatus, $sourceRunId: ID) {
    webhookDeliveries(statuses: $statuses, status: $status, sourceRunId: $sourceRunId) { nodes { id status } }
  }`;
  const list = async (project: string, filter: Filter): Promise<string[]> => {
    const { webhookDeliveries } = await query(test.engine, secretKey(project), document, filter);
    return (webhookDeliveries as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
  };

  it('are of any of several statuses, each once, also where some are in flight', async () => {
    const project = await createTestProject(test.engine);
    const make = (status: string) => insertDelivery(test.engine, project, { status });
    const [dead, failed, sending, succeeded, retrying] = [
      await make('dead'),
      await make('failed'),
      await make('pending'),
      await make('succeeded'),
      await make('failed'),
    ];
    for (const id of [sending, retrying]) await insertWork(test.engine, project, id, { leaseId: newId() });
    const cases: [readonly string[], readonly string[]][] = [
      [
        ['DELIVERING', 'FAILED'],
        [retrying, sending, failed],
      ],
      [
        ['DELIVERING', 'DEAD'],
        [retrying, sending, dead],
      ],
      [['FAILED', 'PENDING', 'FAILED'], [failed]],
      [
        ['SUCCEEDED', 'DEAD'],
        [succeeded, dead],
      ],
      [[], [retrying, succeeded, sending, failed, dead]],
    ];
    for (const [statuses, ids] of cases) expect(await list(project, { statuses }), statuses.join()).toEqual(ids);
    expect(await list(project, { statuses: ['DEAD', 'FAILED'], status: 'DEAD' })).toEqual([dead]);
    expect(await list(project, { statuses: ['DEAD'], status: 'FAILED' })).toEqual([]);
  });

  it('of a source run are without the sends of its steps, and of its project only', async () => {
    const runId = await insertRun(test.engine, projectId);
    const told = await insertDelivery(test.engine, projectId, { runId, runStatus: 'succeeded' });
    await insertDelivery(test.engine, projectId, { runId, eventKind: 'custom', payload: '1' });
    expect(await list(projectId, { sourceRunId: runId })).toEqual([told]);
    expect(await list(await createTestProject(test.engine), { sourceRunId: runId })).toEqual([]);
  });
});

describe('mutations', () => {
  it('redeliverWebhook answers the delivery as it is then', async () => {
    const id = await insertDelivery(test.engine, projectId, { eventKind: 'custom', payload: '1', status: 'exhausted' });
    const document = `mutation ($id: ID!) { redeliverWebhook(input: { id: $id }) { webhookDelivery { id status } } }`;
    expect(await ask(document, { id })).toEqual({ redeliverWebhook: { webhookDelivery: { id, status: 'PENDING' } } });
  });

  it('redeliverWebhooks takes statuses without DELIVERING', async () => {
    const document = (status: string) =>
      `mutation { redeliverWebhooks(input: { statuses: [${status}] }) { matched redelivered skipped capped } }`;
    expect(() => prepare(document('DELIVERING'))).toThrow(/RedeliverableStatus/);
    expect(await ask(document('DEAD'))).toEqual({
      redeliverWebhooks: { matched: 0, redelivered: 0, skipped: 0, capped: false },
    });
  });

  it('redeliverPreview counts what redeliverWebhooks then does, and changes nothing', async () => {
    const project = await createTestProject(test.engine);
    const endpointId = await insertEndpoint(test.engine, project);
    const dead = await insertDelivery(test.engine, project, { endpointId, status: 'dead' });
    const input = { endpointId };
    const { engine, statements } = recordStatements(test.engine);
    const preview = `query ($input: RedeliverWebhooksInput!) {
      redeliverPreview(input: $input) {
        matched count skipped capped until byStatus { dead failed } byEndpoint { endpointId count } sample { id status }
      }
    }`;
    const { redeliverPreview } = await query(engine, publicKey(project), preview, { input });
    expect(redeliverPreview).toEqual({
      ...{ matched: 1, count: 1, skipped: 0, capped: false, until: expect.any(String) },
      byStatus: { dead: 1, failed: 0 },
      byEndpoint: [{ endpointId, count: 1 }],
      sample: [{ id: dead, status: 'DEAD' }],
    });
    // Beside them, two reads in transactions of their own: the matches, and their counts.
    expect(statements.filter((each) => /Instant|Deliver/.test(each)).sort()).toEqual([
      'readInstant',
      'selectDeliveryRows',
    ]);
    const { until } = redeliverPreview as { until: string };
    const redeliver = `mutation ($input: RedeliverWebhooksInput!) { redeliverWebhooks(input: $input) { id redelivered } }`;
    const write = { input: { ...input, until } };
    expect(await query(test.engine, secretKey(project), redeliver, write)).toEqual({
      redeliverWebhooks: { id: expect.any(String), redelivered: 1 },
    });
    const foreign = { input: { deliveryIds: [dead], statuses: ['PENDING'] } };
    expect(await ask(redeliver, foreign)).toMatchObject({ redeliverWebhooks: { redelivered: 0 } });
  });

  it('sendTestWebhook answers a delivery that is marked as a test', async () => {
    const endpointId = await insertEndpoint(test.engine, projectId);
    const document = `mutation ($input: SendTestWebhookInput!) {
      sendTestWebhook(input: $input) {
        webhookDelivery { endpointId eventKind isTest sourceRunId status payload maxAttempts }
      }
    }`;
    const { sendTestWebhook } = await ask(document, { input: { endpointId, kind: 'STEP_SKIPPED' } });
    expect(sendTestWebhook).toMatchObject({
      webhookDelivery: {
        endpointId,
        eventKind: 'STEP_SKIPPED',
        isTest: true,
        sourceRunId: null,
        status: 'PENDING',
        payload: { kind: 'step.skipped', test: true, step: { status: 'skipped' } },
        maxAttempts: 5,
      },
    });
  });
});

describe('webhookDeliveryChanged', () => {
  const document = prepare('subscription ($of: ID) { webhookDeliveryChanged(endpointId: $of) { id status } }');

  it('tells of changes of its project, or of one endpoint, in their present state', async () => {
    const [one, two] = [await insertEndpoint(test.engine, projectId), await insertEndpoint(test.engine, projectId)];
    const insert = (endpointId: string) => insertDelivery(test.engine, projectId, { endpointId, status: 'dead' });
    const changed = (deliveryId: string, project = projectId) =>
      test.engine.bus.emit('delivery.changed', { projectId: project, deliveryId });
    const open = (of?: string) => subscribeTo(document, { of }, contextOf(test.engine, publicKey(projectId)));
    const [all, ofTwo] = [await open(), await open(two)];
    const next = async (from: typeof all) => (await from.next()).value?.data?.['webhookDeliveryChanged'];
    const [first, second] = [await insert(one), await insert(two)];
    changed(second, await createTestProject(test.engine));
    changed(first);
    changed(second);
    expect(await next(all)).toEqual({ id: first, status: 'DEAD' });
    expect(await next(all)).toEqual({ id: second, status: 'DEAD' });
    expect(await next(ofTwo)).toEqual({ id: second, status: 'DEAD' });
    await ask(`mutation ($id: ID!) { redeliverWebhook(input: { id: $id }) { webhookDelivery { id } } }`, {
      id: second,
    });
    expect(await next(ofTwo)).toEqual({ id: second, status: 'PENDING' });
    const waiting = ofTwo.next();
    await ofTwo.return?.();
    expect((await waiting).done).toBe(true);
    await all.return?.();
  });
});
