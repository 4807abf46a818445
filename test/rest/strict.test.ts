import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const strictly = (method: string, path: string, body?: unknown, value = '1') =>
  rest.call(method, path, body, { headers: { 'X-Strict': value } });

describe('with X-Strict: 1', () => {
  it('an unknown query parameter is refused by name, with those that the route takes', async () => {
    const { status, body } = await strictly('GET', '/events?nam=paid');
    expect(status).toBe(400);
    expect(body).toEqual({
      error:
        'unknown parameter "nam": the query string may have app, name, source, sourceRunId, session, since, until, unmatchedOnly, limit, cursor',
    });
    expect((await strictly('GET', '/events?name=paid')).status).toBe(200);
  });

  it('an unknown field of a body is refused by name, and nothing is written', async () => {
    const sent = await strictly('POST', '/events', { name: 'strict.sent', datta: 1 });
    expect(sent.status).toBe(400);
    expect(sent.body.error).toContain('unknown field "datta": the body may have name, app,');
    expect((await rest.call('GET', '/events?name=strict.sent')).body).toEqual([]);
    expect((await strictly('POST', '/events', { name: 'strict.sent', data: { datta: 1 } })).status).toBe(202);
  });

  it('a route without parameters and without a body takes none', async () => {
    expect((await strictly('GET', '/workflows?app=x')).body.error).toBe(
      'unknown parameter "app": the query string may have no parameter',
    );
    expect((await strictly('POST', '/runs/x/cancel', { reason: 'y' })).body.error).toBe(
      'unknown field "reason": the body may have no field',
    );
  });

  it('tags filter under both of their names', async () => {
    expect((await strictly('GET', '/runs?tag.a=1&tag=b=2')).status).toBe(200);
    expect((await strictly('GET', '/runs?tags.a=1')).body.error).toContain('unknown parameter "tags.a"');
  });

  it('routes without a GraphQL document are as strict', async () => {
    expect((await strictly('GET', '/health/live?verbose=1')).status).toBe(400);
    const registration = { app: 'a', url: 'http://127.0.0.1:9/x', workflows: [], maxInflight: 3 };
    expect((await strictly('POST', '/register', registration)).body.error).toContain('unknown field "maxInflight"');
  });
});

describe('without X-Strict: 1', () => {
  it('what is unknown is ignored', async () => {
    expect((await rest.call('GET', '/events?nam=paid')).status).toBe(200);
    expect((await rest.call('POST', '/events', { name: 'lax.sent', datta: 1 })).status).toBe(202);
    expect((await strictly('GET', '/events?nam=paid', undefined, '0')).status).toBe(200);
  });

  it('another value of the header is refused', async () => {
    expect((await strictly('GET', '/events', undefined, 'yes')).body).toEqual({ error: 'X-Strict must be 1 or 0' });
  });
});
