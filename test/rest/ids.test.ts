import { afterAll, beforeAll, expect, test } from 'vitest';
import { query, secretKey } from '../schema/fixtures.ts';
import { type RestServer, startRest } from './restServer.ts';
import { openStream } from './sseReader.ts';

let rest: RestServer;
let runId: string;
let eventId: string;
let replayId: string;

beforeAll(async () => {
  rest = await startRest();
  const workflows = [{ name: 'ship', triggers: [{ event: 'go' }] }];
  await rest.call('POST', '/register', { app: 'shop', url: 'http://127.0.0.1:9/', workflows });
  ({ runId, eventId } = (await rest.call('POST', '/events', { name: 'go' })).body);
  await rest.call('POST', `/runs/${capitals(runId)}/cancel`);
  replayId = (await rest.call('POST', `/runs/${capitals(runId)}/replay`)).body.id;
});
afterAll(() => rest.close());

const capitals = (id: string): string => id.toUpperCase();
const idsOf = async (path: string): Promise<string[]> =>
  (await rest.call('GET', path)).body.map((each: { id: string }) => each.id);

test('an id in a path is read in capitals too', async () => {
  expect((await rest.call('GET', `/runs/${capitals(runId)}`)).body).toMatchObject({ id: runId, status: 'cancelled' });
  expect((await rest.call('GET', `/events/${capitals(eventId)}`)).body).toMatchObject({ id: eventId });
  for (const part of ['steps', 'logs'])
    expect(await rest.call('GET', `/runs/${capitals(runId)}/${part}`)).toMatchObject({ status: 200, body: [] });
  const stream = await openStream(`${rest.url}/runs/${capitals(runId)}/stream`, {
    authorization: `Bearer ${rest.keys.public}`,
  });
  expect((await stream.rest()).map(({ data }) => data)).toEqual([
    expect.objectContaining({ runId, status: 'queued' }),
    expect.objectContaining({ runId, status: 'cancelled' }),
  ]);
});

test('an id in a filter is read in capitals too', async () => {
  expect(await idsOf(`/runs?eventId=${capitals(eventId)}`)).toEqual([replayId, runId]);
  expect(await idsOf(`/runs?replayOf=${capitals(runId)}`)).toEqual([replayId]);
  expect((await rest.call('GET', `/runs/stats?replayOf=${capitals(runId)}`)).body).toMatchObject({ total: 1 });
  const actions = (await rest.call('GET', `/control-actions?runId=${capitals(runId)}`)).body;
  expect(actions).toMatchObject([
    { action: 'replay', runId, newRunId: replayId },
    { action: 'cancel', runId },
  ]);
});

test('an id in a GraphQL document or its variables is read in capitals too', async () => {
  const ask = (document: string, variables = {}) => query(rest.engine, secretKey(rest.projectId), document, variables);
  expect(await ask(`{ run(id: "${capitals(runId)}") { id } }`)).toEqual({ run: { id: runId } });
  const list = 'query ($filter: RunFilter, $id: ID!) { runs(filter: $filter) { nodes { id } } event(id: $id) { id } }';
  const variables = { filter: { replayOf: capitals(runId) }, id: capitals(eventId) };
  expect(await ask(list, variables)).toEqual({ runs: { nodes: [{ id: replayId }] }, event: { id: eventId } });
  const payload = await ask(`mutation { cancelRun(input: { runId: "${capitals(replayId)}" }) { run { id status } } }`);
  expect(payload).toEqual({ cancelRun: { run: { id: replayId, status: 'CANCELLED' } } });
});
