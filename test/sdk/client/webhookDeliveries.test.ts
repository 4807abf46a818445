import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Holdfast } from '../../../sdk/src/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { printSortedSchema } from '../../../src/schema/index.ts';
import { insertAttempt, insertDelivery, insertEndpoint, insertWork } from '../../engine/webhooks/deliveries/scene.ts';
import { type RestServer, startRest } from '../../rest/restServer.ts';
import { clientOf, json, type Respond } from '../support/httpDouble.ts';

const custom = { eventKind: 'custom', payload: '1' } as const;

describe('deliveries over the service itself', () => {
  let rest: RestServer;
  let hf: Holdfast;
  beforeAll(async () => {
    rest = await startRest();
    hf = new Holdfast({ baseUrl: rest.url, apiKey: rest.keys.secret, app: 'shop' });
  });
  afterAll(() => rest.close());

  it('are listed over all pages, with the filters that are given', async () => {
    const endpointId = await insertEndpoint(rest.engine, rest.projectId);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.unshift(await insertDelivery(rest.engine, rest.projectId, { ...custom, endpointId, status: 'dead' }));
    await insertDelivery(rest.engine, rest.projectId, { ...custom, endpointId });
    const listed: string[] = [];
    const filter = { endpointId, status: 'dead', since: new Date(0), until: '2100-01-01T00:00:00Z' } as const;
    for await (const { id } of hf.webhooks.deliveries.list({ ...filter, pageSize: 2 })) listed.push(id);
    expect(listed).toEqual(ids);
  });

  it('are read with their attempts, and redelivered', async () => {
    const id = await insertDelivery(rest.engine, rest.projectId, { ...custom, status: 'dead', attemptCount: 1 });
    await insertAttempt(rest.engine, id, { attempt: 1, outcome: 'http_error', statusCode: 404 });
    const read = await hf.webhooks.deliveries.get(id);
    expect(read).toMatchObject({ id, payload: 1, status: 'dead', attempts: [{ attempt: 1, statusCode: 404 }] });
    await hf.webhooks.deliveries.redeliver(id);
    expect(await hf.webhooks.deliveries.get(id)).toMatchObject({ status: 'pending' });
  });

  it('in flight are not redelivered', async () => {
    const id = await insertDelivery(rest.engine, rest.projectId, custom);
    await insertWork(rest.engine, rest.projectId, id, { leaseId: newId() });
    const conflict = { status: 409, message: 'webhook delivery is in flight' };
    await expect(hf.webhooks.deliveries.redeliver(id)).rejects.toMatchObject(conflict);
  });
});

describe('mutations without a route of REST', () => {
  const schema = buildSchema(printSortedSchema());

  /** Checks a sent document against the schema, and answers its variables. */
  function inputOf(body: string): unknown {
    const { query, variables } = JSON.parse(body);
    expect(validate(schema, parse(query))).toEqual([]);
    return variables.input;
  }

  it('redeliverAll sends a filter, and answers the counts', async () => {
    const counts = { matched: 3, redelivered: 2, skipped: 1, capped: false };
    const { hf, seen } = await clientOf((_seen, response) =>
      json(response, 200, { data: { redeliverWebhooks: counts } }),
    );
    const since = new Date('2030-01-01T00:00:00Z');
    expect(await hf.webhooks.deliveries.redeliverAll({ endpointId: 'e', statuses: ['dead', 'failed'], since })).toEqual(
      counts,
    );
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/graphql' });
    expect(inputOf(seen[0]?.body ?? '')).toEqual({
      endpointId: 'e',
      statuses: ['DEAD', 'FAILED'],
      since: since.toISOString(),
    });
  });

  it('sendTest names the kind, and answers the delivery', async () => {
    const answer: Respond = ({ url }, response) =>
      url === '/graphql'
        ? json(response, 200, { data: { sendTestWebhook: { webhookDelivery: { id: 'd1' } } } })
        : json(response, 200, { id: 'd1', status: 'pending', eventKind: 'run.failed', attempts: [] });
    const { hf, seen } = await clientOf(answer);
    expect(await hf.webhooks.deliveries.sendTest({ endpointId: 'e', kind: 'run.failed' })).toMatchObject({ id: 'd1' });
    expect(inputOf(seen[0]?.body ?? '')).toEqual({ endpointId: 'e', kind: 'RUN_FAILED' });
    expect(seen[1]).toMatchObject({ method: 'GET', url: '/webhook-deliveries/d1' });
  });

  it.each([
    [200, 'CONFLICT', 409],
    [200, 'FORBIDDEN', 403],
    [200, 'BAD_USER_INPUT', 400],
    [401, 'UNAUTHENTICATED', 401],
    [200, 'INTERNAL', 500],
    [503, 'unknown', 503],
  ])('an error in an answer of %i with the code %s has the status %i', async (status, code, expected) => {
    const errors = [{ message: 'why', extensions: { code } }];
    const { hf } = await clientOf((_seen, response) => json(response, status, { errors, data: null }));
    await expect(hf.webhooks.deliveries.redeliverAll({ statuses: ['dead'] })).rejects.toMatchObject({
      name: 'HoldfastApiError',
      status: expected,
      message: 'why',
    });
  });

  it('an answer of another server is named as such', async () => {
    const { hf } = await clientOf((_seen, response) => json(response, 200, { hello: 1 }));
    await expect(hf.webhooks.deliveries.redeliverAll({ statuses: ['dead'] })).rejects.toThrow(/is baseUrl the address/);
  });
});
