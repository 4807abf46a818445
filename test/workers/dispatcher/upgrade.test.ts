import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApiKey } from '../../../src/engine/keys/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { limitsWith } from '../../support/settings.ts';
import { ScriptedSite } from './kit/scriptedSite.ts';
import { expectDeclared } from './kit/socketRunner.ts';

const operatorKey = 'hf_op_test';
let site: ScriptedSite;
beforeAll(async () => {
  site = await ScriptedSite.open({ settings: { operatorKey, limits: limitsWith({ streamsPerKey: 2 }) } });
});
afterAll(() => site.close());

/** The plain HTTP answer to an upgrade. */
function upgrade(
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown; type: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = get(site.url.replace('ws:', 'http:'), {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    request.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      expectDeclared(response.statusCode);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), type: response.headers['content-type'] });
    });
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the upgrade was granted'));
    });
    request.on('error', reject);
  });
}

describe('GET /connect', () => {
  it('accepts a secret key', async () => {
    const runner = site.connect();
    await runner.ready();
    expect((await runner.close()).code).toBe(1005);
  });

  it('W1: accepts no upgrade before the connection has its number, nor without one', async () => {
    let proceed = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const onNumber = vi.fn(() => held);
    site.registry.onNumber = onNumber;
    const runner = site.connect();
    await vi.waitFor(() => expect(onNumber).toHaveBeenCalled());
    site.registry.onNumber = () => {
      throw new Error('the database is away');
    };
    const authorization = `Bearer ${site.secret.token}`;
    expect(await upgrade({ authorization })).toMatchObject({ status: 500, body: { error: 'internal error' } });
    site.registry.onNumber = () => {
      throw new Error('timeout exceeded when trying to connect');
    };
    const away = await upgrade({ authorization });
    expect(away).toMatchObject({ status: 503, body: { error: 'the database cannot answer now: retry' } });
    expect(runner.ws.readyState).toBe(runner.ws.CONNECTING);
    site.registry.onNumber = () => undefined;
    proceed();
    await runner.opened();
    await runner.close();
  });

  it('answers an invalid handshake with 400 in JSON', async () => {
    const authorization = `Bearer ${site.secret.token}`;
    expect(await upgrade({ authorization, 'sec-websocket-version': '7' })).toMatchObject({
      status: 400,
      body: { error: 'Missing or invalid Sec-WebSocket-Version header' },
      type: 'application/json',
    });
    expect(await upgrade({ authorization, 'sec-websocket-key': 'x' })).toMatchObject({
      status: 400,
      body: { error: 'Missing or invalid Sec-WebSocket-Key header' },
    });
  });

  it('answers a missing or wrong key with 401 in plain HTTP', async () => {
    const refusals: Record<string, string>[] = [
      {},
      { authorization: 'Bearer hf_sk_wrong' },
      { authorization: 'Basic abc' },
    ];
    for (const headers of refusals) {
      expect(await upgrade(headers)).toMatchObject({
        status: 401,
        body: { error: 'missing or unknown API key' },
        type: 'application/json',
      });
    }
  });

  it('answers a public key with 403', async () => {
    const { projectId } = site;
    const { token } = await createApiKey(site.engine, { projectId, name: 'reader', kind: 'public' });
    expect(await upgrade({ authorization: `Bearer ${token}` })).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('secret key') },
    });
  });

  it('accepts a platform key only with a project', async () => {
    const { token } = await createApiKey(site.engine, { name: 'platform', kind: 'platform' });
    expect((await upgrade({ authorization: `Bearer ${token}` })).status).toBe(400);
    const unknown = { authorization: `Bearer ${token}`, 'x-service-project': 'nobody' };
    expect((await upgrade(unknown)).status).toBe(404);
    const runner = site.connect(token, { 'x-service-project': site.projectId });
    await runner.ready({ runner: 'by-platform' });
    expect(site.registry.registrations.all.at(-1)?.projectId).toBe(site.projectId);
    await runner.close();
  });

  it('reads the name of a project as UTF-8', async () => {
    const name = 'Łódź 田中';
    await updateProject(site.engine, { id: site.projectId, name });
    const project = Buffer.from(name, 'utf8').toString('latin1');
    const granted = upgrade({ authorization: `Bearer ${operatorKey}`, 'x-service-project': project });
    await expect(granted).rejects.toThrow('was granted');
  });

  it('accepts the operator only with a project', async () => {
    const authorization = `Bearer ${operatorKey}`;
    expect(await upgrade({ authorization })).toMatchObject({
      status: 400,
      body: { error: 'X-Service-Project: the operator key must name a project here' },
    });
    await expect(upgrade({ authorization, 'x-service-project': site.projectId })).rejects.toThrow('was granted');
  });

  it('refuses more sockets of one key than the ceiling, naming it, and admits again when one closes', async () => {
    const { projectId } = site;
    const { token } = await createApiKey(site.engine, { projectId, name: 'busy', kind: 'secret' });
    const [first, second] = [site.connect(token), site.connect(token)];
    await Promise.all([first.ready({ runner: 'a' }), second.ready({ runner: 'b' })]);
    expect(await upgrade({ authorization: `Bearer ${token}` })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('at most 2 sockets') },
    });
    await first.close();
    const third = site.connect(token);
    await third.ready({ runner: 'c' });
    await Promise.all([second.close(), third.close()]);
  });

  it('does not count refused handshakes among the sockets of a key', async () => {
    const { projectId } = site;
    const { token } = await createApiKey(site.engine, { projectId, name: 'clumsy', kind: 'secret' });
    const headers = { authorization: `Bearer ${token}`, 'sec-websocket-version': '7' };
    for (let i = 0; i < 4; i++)
      expect((await upgrade(headers)).body).toMatchObject({ error: expect.stringContaining('Version') });
    const runner = site.connect(token);
    await runner.ready();
    await runner.close();
  });

  it('survives a peer that disconnects during the look-up of its key', async () => {
    for (let i = 0; i < 20; i++) site.connect('hf_sk_nope').vanish();
    const runner = site.connect();
    await runner.ready();
    await runner.close();
  });
});
