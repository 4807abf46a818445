import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { createEndpoint, readEndpointSecrets, updateEndpoint } from '../../src/engine/webhooks/config/index.ts';
import { explain } from '../../src/explain.ts';
import { type Service, startService } from '../../src/service.ts';
import { loadSettings } from '../../src/settings.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../support/engine.ts';
import { type CliResult, cli } from './cli.ts';

const before = 'the-operator-key-before';
const after = 'the-operator-key-after';

describe('holdfast secrets reseal', () => {
  let test: OwnedEngine;
  let dataDir: string;
  let projectId: string;
  let token: string;
  const running: Service[] = [];

  beforeEach(async () => {
    test = await createTestEngine();
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast secrets '));
    projectId = await createTestProject(test);
    ({ token } = await createApiKey(test.engine, { projectId, name: 'k', kind: 'secret' }));
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
    await rm(dataDir, { recursive: true, force: true });
    await test.close();
  });

  const environment = (operatorKey: string, former?: string): Record<string, string | undefined> => ({
    NODE_ENV: 'production',
    DATABASE_URL: test.url,
    DATA_DIR: dataDir,
    PORT: '0',
    ROLES: 'api',
    ALLOW_UNSAFE_DATABASE: 'true',
    OPERATOR_KEY: operatorKey,
    OPERATOR_KEY_FORMER: former,
  });
  const start = async (operatorKey: string, former?: string): Promise<Service> => {
    const service = await startService(loadSettings(environment(operatorKey, former)), pino({ level: 'silent' }));
    running.push(service);
    return service;
  };
  const refusal = (operatorKey: string): Promise<string> => start(operatorKey).then(() => 'started', explain);
  const reseal = (operatorKey: string, former?: string, ...more: string[]): Promise<CliResult> =>
    cli(environment(operatorKey, former), 'secrets', 'reseal', ...more);
  const under = (operatorKey: string, formerOperatorKeys: string[] = []): EngineContext => ({
    ...test.engine,
    settings: { ...test.engine.settings, operatorKey, formerOperatorKeys },
  });
  const call = async (service: Service, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return JSON.parse(await response.text());
  };

  it('changes the operator key while processes with the old and the new one run side by side', async () => {
    const old = await start(before, after);
    const first = await call(old, 'POST', '/webhook-sources', { eventName: 'x' });
    expect(first.receiveUrl).toBe(`${old.baseUrl}/webhooks/${first.token}`);
    const fresh = await start(after, before);
    const second = await call(fresh, 'POST', '/webhook-sources', { eventName: 'x' });
    const bothRead = async (): Promise<void> => {
      for (const service of [old, fresh]) {
        const read = await call(service, 'GET', '/webhook-sources');
        const tokens = read.map((each: { token: string }) => each.token);
        expect(tokens).toEqual([second.token, first.token]);
      }
    };
    await bothRead();
    expect(await reseal(after, before)).toMatchObject({
      code: 0,
      out: 'Sealed 2 secrets again.\nAll secrets are sealed under the present operator key.\n',
    });
    await bothRead();
    expect(await reseal(after, undefined, '--json')).toMatchObject({ code: 0, err: '' });
    expect(await refusal(after)).toBe('started');
    expect(await refusal(before)).toContain('OPERATOR_KEY');
  });

  it('starts where a former key of the settings opens what the present one does not', async () => {
    const input = { projectId, actor: 'k', url: 'https://example.com', eventKinds: ['run.failed'] as const };
    await createEndpoint(under(before), input);
    expect(await refusal(after)).toContain('OPERATOR_KEY_FORMER');
    const service = await start(after, before);
    expect(await call(service, 'GET', '/webhook-endpoints')).toHaveLength(1);
  });

  it('names the secrets that no key opens, and leaves them as they are', async () => {
    const input = { projectId, actor: 'k', url: 'https://example.com', eventKinds: ['run.failed'] as const };
    const { endpoint, secret } = await createEndpoint(under(before), input);
    const { code, out } = await reseal(after);
    expect(code).toBe(1);
    expect(out).toContain(`webhook_endpoint ${endpoint.id} of project ${projectId}`);
    expect(out).not.toContain(secret);
    expect(await readEndpointSecrets(under(before), { projectId, endpointId: endpoint.id })).toEqual([secret]);
    expect(await reseal(after, before)).toMatchObject({ code: 0 });
    expect(await readEndpointSecrets(under(after), { projectId, endpointId: endpoint.id })).toEqual([secret]);
  });

  it('keeps the overlap of a rotation, and loses no rotation that happens meanwhile', async () => {
    const old = under(before, [after]);
    const secrets = new Map<string, string>();
    for (let index = 0; index < 30; index += 1) {
      const url = `https://example.com/${index}`;
      const { endpoint, secret } = await createEndpoint(old, {
        projectId,
        actor: 'k',
        url,
        eventKinds: ['run.failed'],
      });
      secrets.set(endpoint.id, secret);
    }
    const rotate = async (id: string): Promise<void> => {
      const { secret } = await updateEndpoint(old, { projectId, actor: 'k', id, rotateSecret: true });
      const [former] = [secrets.get(id)];
      secrets.set(id, `${secret} ${former}`);
    };
    const rotated = Promise.all([...secrets.keys()].map(rotate));
    expect(await reseal(after, before)).toMatchObject({ code: 0 });
    await rotated;
    expect(await reseal(after, before)).toMatchObject({ code: 0 });
    for (const [endpointId, both] of secrets)
      expect((await readEndpointSecrets(under(after), { projectId, endpointId })).join(' ')).toBe(both);
  });

  it('without an operator key seals nothing', async () => {
    const { code, err } = await cli({ DATABASE_URL: test.url, DATA_DIR: dataDir }, 'secrets', 'reseal');
    expect(code).toBe(1);
    expect(err).toContain('set OPERATOR_KEY');
  });
});
