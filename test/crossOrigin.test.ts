import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { apiRules } from '../src/http/index.ts';
import { openApiText, routes } from '../src/rest/index.ts';
import { schema } from '../src/schema/index.ts';
import { useServiceInProcess } from './support/inProcess.ts';

const page = 'https://app.example.com';
const stranger = 'https://evil.example.com';

type Answers = Record<string, { headers?: object }>;

interface Description {
  paths: Record<string, Record<string, { responses: Answers }>>;
  components: { responses: Answers };
}

const permission = (answer: Response): string | null => answer.headers.get('access-control-allow-origin');

describe('a page of CORS_ORIGINS', () => {
  const service = useServiceInProcess({ ROLES: 'api', CORS_ORIGINS: `${page}/, http://localhost:3000` });

  const call = (path: string, { origin = page, ...init }: RequestInit & { origin?: string } = {}): Promise<Response> =>
    fetch(service.url + path, {
      ...init,
      headers: { origin, authorization: `Bearer ${service.keys.secretKey}`, ...init.headers },
    });
  const json = { 'content-type': 'application/json' };
  const ask = (path: string, origin = page): Promise<Response> =>
    fetch(service.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  test.each(['/events', '/runs/stream', '/graphql', '/graphql?query={viewer{kind}}', '/runs/1/cancel', '/unknown'])(
    'may ask for permission to call %s without a key',
    async (path) => {
      const answer = await ask(path);
      expect(answer.status).toBe(204);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': page,
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-allow-headers': expect.stringContaining('Authorization, Content-Type'),
        'access-control-max-age': '600',
        vary: 'origin',
      });
    },
  );

  test.each(['Last-Event-ID', 'X-Strict', 'X-Service-Project', 'X-Service-Actor'])('may send %s', async (name) => {
    const answer = await ask('/runs');
    expect(answer.headers.get('access-control-allow-headers')?.split(', ')).toContain(name);
  });

  test.each([
    ['a list', '/runs', 200],
    ['a failure', '/runs/unknown', 404],
    ['an unknown route', '/unknown', 404],
    ['GraphQL', '/graphql?query={viewer{kind}}', 200],
  ])('reads the answer of %s, and is sent no cookie', async (_what, path, status) => {
    const answer = await call(path);
    expect(answer.status).toBe(status);
    expect(permission(answer)).toBe(page);
    expect(answer.headers.get('vary')).toBe('origin');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('reads the refusal of a request that cannot be read', async () => {
    const answer = await call('/runs', { headers: { 'x-strict': 'x'.repeat(20_000) } });
    expect([answer.status, permission(answer)]).toEqual([431, '*']);
    expect(await answer.json()).toEqual({ error: 'request headers too large' });
  });

  test('reads the refusal of a wrong key', async () => {
    const answer = await call('/runs', { headers: { authorization: 'Bearer wrong' } });
    expect([answer.status, permission(answer)]).toEqual([401, page]);
  });

  test('sends events and mutations', async () => {
    const sent = await call('/events', { method: 'POST', headers: json, body: '{"name":"order.placed"}' });
    expect([sent.status, permission(sent)]).toEqual([202, page]);
    const body = JSON.stringify({ query: 'mutation { sendEvent(input: { name: "order.placed" }) { eventId } }' });
    const mutated = await call('/graphql', { method: 'POST', headers: json, body });
    expect([mutated.status, permission(mutated)]).toEqual([200, page]);
    expect(await mutated.json()).toMatchObject({ data: { sendEvent: { eventId: expect.any(String) } } });
  });

  test.each(['/events/stream', '/graphql?query=subscription{eventIngested{name}}'])('follows %s', async (path) => {
    const answer = await call(path, { headers: { accept: 'text/event-stream' } });
    expect([answer.status, permission(answer)]).toEqual([200, page]);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    await answer.body?.cancel();
  });

  test('may read every header that an answer of REST declares', () => {
    const { paths, components }: Description = JSON.parse(openApiText(schema, routes));
    const answers = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap(({ responses }) => Object.values(responses)),
    );
    const all = [...answers, ...Object.values(components.responses)];
    const declared = new Set(all.flatMap(({ headers }) => Object.keys(headers ?? {})));
    // Browsers act on it themselves.
    declared.delete('Upgrade');
    expect([...declared]).toContain('X-Next-Cursor');
    const exposed = apiRules.exposedHeaders.split(', ');
    for (const name of declared) expect(exposed).toContain(name);
  });

  test('opens sockets of GraphQL', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      origin: page,
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.terminate();
  });

  test('gets its permission not from another page, nor for agent tools', async () => {
    for (const path of ['/runs', '/unknown']) {
      const answer = await call(path, { origin: stranger });
      expect([permission(answer), answer.headers.get('vary')]).toEqual([null, 'origin']);
    }
    expect(permission(await ask('/runs', stranger))).toBeNull();
    for (const origin of ['null', 'https://app.example.com.evil.com', 'http://app.example.com'])
      expect(permission(await ask('/runs', origin))).toBeNull();
    expect([(await ask('/mcp')).status, permission(await ask('/mcp'))]).toEqual([403, null]);
  });

  test('is refused by GraphQL and sockets, if it is another page', async () => {
    const { status } = await call('/graphql?query={viewer{kind}}', { origin: stranger });
    expect(status).toBe(403);
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, { origin: stranger });
    const reason = await new Promise((resolve) => socket.once('error', ({ message }) => resolve(message)));
    expect(reason).toBe('Unexpected server response: 403');
  });
});

describe('without CORS_ORIGINS', () => {
  const service = useServiceInProcess({ ROLES: 'api', ALLOWED_ORIGINS: page });

  test('no page of another origin gets a permission, and answers do not vary', async () => {
    const headers = { origin: page, authorization: `Bearer ${service.keys.secretKey}` };
    for (const path of ['/runs', '/graphql?query={viewer{kind}}']) {
      const answer = await fetch(service.url + path, { headers });
      expect([answer.status, permission(answer), answer.headers.get('vary')]).toEqual([200, null, null]);
    }
    const large = await fetch(`${service.url}/runs`, { headers: { ...headers, 'x-strict': 'x'.repeat(20_000) } });
    expect([large.status, permission(large)]).toEqual([431, null]);
    const asked = await fetch(`${service.url}/runs`, { method: 'OPTIONS', headers });
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
