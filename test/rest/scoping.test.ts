import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/rest/index.ts';
import { fittingBody, type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
let stranger: { projectId: string; secret: string };
let runId: string;
let eventId: string;

beforeAll(async () => {
  rest = await startRest();
  stranger = await rest.stranger();
  await rest.call('POST', '/register', {
    app: 'shop',
    runner: 'r1',
    url: 'http://127.0.0.1:9/',
    workflows: [{ name: 'ship', triggers: [{ event: 'go' }] }],
  });
  ({ runId, eventId } = (await rest.call('POST', '/events', { name: 'go', tags: { a: 'b' } })).body);
  await rest.call('POST', '/webhook-endpoints', { url: 'https://example.com', eventKinds: ['run.failed'] });
  await rest.call('POST', '/webhook-sources', { eventName: 'go' });
});
afterAll(() => rest.close());

const ask = (method: string, path: string, body?: unknown) => rest.call(method, path, body, { key: stranger.secret });

test('every route with an id answers 404 to a key of another project', async () => {
  for (const route of routes.filter((each) => each.path.includes('{id}'))) {
    const { method, path } = route;
    const id = path.startsWith('/events') ? eventId : runId;
    const answer = await ask(method, path.replace('{id}', id), fittingBody(route));
    expect(answer, `${method} ${path}`).toMatchObject({ status: 404 });
  }
  expect(await rest.call('GET', `/runs/${runId}`)).toMatchObject({ status: 200, body: { status: 'queued' } });
});

test('every list shows a stranger nothing of another project', async () => {
  for (const path of [
    '/workflows',
    '/apps',
    '/runners',
    '/events',
    '/runs',
    `/runs?eventId=${eventId}`,
    '/runs?tag.a=b',
    '/runs?q=ship&deep=1',
    '/approvals',
    `/approvals?runId=${runId}`,
    '/sessions',
    '/webhook-endpoints',
    '/webhook-sources',
    '/webhook-deliveries',
    '/webhook-endpoints/stats',
  ])
    expect(await ask('GET', path), path).toMatchObject({ status: 200, body: [] });
});

test('a stranger cannot trigger another project’s workflow, and its events start nothing there', async () => {
  expect(await ask('POST', '/workflows/shop/ship/trigger')).toMatchObject({ status: 404 });
  expect(await ask('POST', '/events', { name: 'go' })).toMatchObject({ status: 202, body: { triggered: [] } });
});

test('a project header does not widen what a secret key reaches', async () => {
  const headers = { 'x-service-project': rest.projectId };
  expect(await rest.call('GET', '/runs', undefined, { key: stranger.secret, headers })).toMatchObject({
    status: 200,
    body: [],
  });
});

test('a cursor of one project shows another project nothing', async () => {
  await rest.call('POST', '/events', { name: 'go' });
  for (const list of ['/runs', '/events']) {
    const cursor = (await rest.call('GET', `${list}?limit=1`)).headers.get('x-next-cursor');
    expect(cursor).not.toBeNull();
    const page = await ask('GET', `${list}?cursor=${encodeURIComponent(cursor ?? '')}`);
    expect(page.body).toEqual(
      list === '/runs' ? [] : expect.not.arrayContaining([expect.objectContaining({ id: eventId })]),
    );
  }
});
