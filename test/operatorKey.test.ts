import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineContext } from '../src/engine/context.ts';
import { checkProvider, listProviderKeys, setProviderKey } from '../src/engine/inference/index.ts';
import {
  ensureInvokeSecret,
  readInvokeSecrets,
  readProviderKey,
  resealForeign,
  rotateProjectSecrets,
} from '../src/engine/secrets/index.ts';
import { explain } from '../src/explain.ts';
import { type Keys, readKeys } from '../src/keysFile.ts';
import { startService } from '../src/service.ts';
import { loadSettings } from '../src/settings.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from './support/engine.ts';

const former = 'hf_op_the_former_one';
const another = 'hf_op_another_one';

describe('a service with another operator key', () => {
  let test: OwnedEngine;
  let dataDir: string;

  beforeEach(async () => {
    test = await createTestEngine();
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast operator key '));
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true });
    await test.close();
  });

  /** Starts and stops a service; answers the reason if it does not start. */
  const start = async (operatorKey?: string, env: Record<string, string> = {}): Promise<string | undefined> => {
    const settings = loadSettings({
      DATABASE_URL: test.url,
      DATA_DIR: dataDir,
      PORT: '0',
      ROLES: 'api',
      ALLOW_UNSAFE_DATABASE: 'true',
      OPERATOR_KEY: operatorKey,
      ...env,
    });
    try {
      await (await startService(settings, pino({ level: 'silent' }))).stop();
      return undefined;
    } catch (error) {
      return explain(error);
    }
  };
  const accepted = { ALLOW_NEW_OPERATOR_KEY: 'true' };
  const under = (operatorKey: string): EngineContext => {
    return { ...test.engine, settings: { ...test.engine.settings, operatorKey } };
  };
  const formerFiles = async (): Promise<string[]> =>
    (await readdir(dataDir)).filter((name) => name.startsWith('keys.former-'));
  const keptKeys = async (): Promise<string[]> =>
    Promise.all(
      (await formerFiles()).map(async (name): Promise<string> => {
        const keys: Keys = JSON.parse(await readFile(join(dataDir, name), 'utf8'));
        return keys.operatorKey;
      }),
    );
  const sealOne = async (): Promise<string> => {
    const projectId = await createTestProject(test);
    await setProviderKey(under(former), { projectId, provider: 'anthropic', apiKey: 'sk-1' });
    return projectId;
  };

  it('does not start while sealed secrets exist that the key does not open, and changes no file', async () => {
    expect(await start(former)).toBeUndefined();
    await sealOne();
    const before = await readFile(join(dataDir, 'keys.json'), 'utf8');
    expect(await start(another)).toMatch(/OPERATOR_KEY.*ALLOW_NEW_OPERATOR_KEY=true/s);
    expect(await start(another, { NODE_ENV: 'production' })).toContain('ALLOW_NEW_OPERATOR_KEY=true');
    expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).toBe(before);
    expect(await readdir(dataDir)).toEqual(['keys.json']);
    expect(await start(former)).toBeUndefined();
  });

  it('does not start with a generated key after keys.json was lost', async () => {
    expect(await start()).toBeUndefined();
    await sealOne();
    await rm(join(dataDir, 'keys.json'));
    expect(await start()).toContain('keys.json');
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('starts where nothing is sealed, and keeps the former key beside', async () => {
    for (const key of [former, another, former, another]) expect(await start(key)).toBeUndefined();
    expect((await readKeys(dataDir))?.operatorKey).toBe(another);
    expect((await keptKeys()).sort()).toEqual([another, former].sort());
  });

  it('seals the secrets again if that is allowed and the former key is in DATA_DIR', async () => {
    expect(await start(former)).toBeUndefined();
    const projectId = await sealOne();
    const scope = { projectId, app: 'shop' };
    await ensureInvokeSecret(under(former), scope);
    await rotateProjectSecrets(under(former), { projectId });
    const secrets = await readInvokeSecrets(under(former), scope);
    expect(secrets).toHaveLength(2);
    expect(await start(another, accepted)).toBeUndefined();
    expect(await keptKeys()).toEqual([former]);
    expect(await readProviderKey(under(another), { projectId, provider: 'anthropic' })).toEqual({ apiKey: 'sk-1' });
    expect(await readInvokeSecrets(under(another), scope)).toEqual(secrets);
    expect(await start(another)).toBeUndefined();
  });

  it('starts although one of the secrets is damaged', async () => {
    expect(await start(former)).toBeUndefined();
    const projectId = await sealOne();
    await setProviderKey(under(former), { projectId, provider: 'openai', apiKey: 'sk-2' });
    await test.db.query(`update sealed_secret set sealed = sealed || 'x'::bytea where name = 'anthropic'`);
    expect(await start(another, accepted)).toBeUndefined();
    expect(await readProviderKey(under(another), { projectId, provider: 'openai' })).toEqual({ apiKey: 'sk-2' });
  });

  const damage = (name: string, from: number, bytes: string): Promise<unknown> =>
    test.db.query(
      `update sealed_secret set sealed = overlay(sealed placing decode($2, 'hex') from $3::int) where name = $1`,
      [name, bytes, from],
    );

  it.each([
    ['the version of its format', 1, '07'],
    ['the name of its operator key', 3, 'aabb'],
    ['both', 1, 'ffffffffff'],
  ])('names a secret of which %s is damaged, and how it is repaired', async (_what, from, bytes) => {
    expect(await start(former)).toBeUndefined();
    const projectId = await sealOne();
    await damage('anthropic', from, bytes);
    const reason = await start(former);
    expect(reason).toBe(
      `a sealed secret of the database has damaged first bytes: provider anthropic of project ${projectId}. ` +
        'The operator key opens the rest of it. Run "npx holdfast secrets reseal", which repairs it.',
    );
    await resealForeign(under(former));
    expect(await start(former)).toBeUndefined();
    expect(await readProviderKey(under(former), { projectId, provider: 'anthropic' })).toEqual({ apiKey: 'sk-1' });
  });

  it('names a secret that is damaged for good, and starts without it if that is allowed', async () => {
    expect(await start(former)).toBeUndefined();
    const projectId = await sealOne();
    await ensureInvokeSecret(under(former), { projectId, app: 'shop' });
    for (const name of ['anthropic', 'shop']) await damage(name, 1, 'deadbeef'.repeat(9));
    const reason = await start(former);
    expect(reason).toContain(
      `2 sealed secrets of the database are damaged, or a newer version sealed them: invoke shop of project ${projectId}, provider anthropic of project ${projectId}.`,
    );
    expect(reason).toContain('"npx holdfast providers set"');
    expect(reason).not.toContain('OPERATOR_KEY to the former key');
    expect(await start(former, accepted)).toBeUndefined();
    const scope = { projectId, provider: 'anthropic' };
    expect(await checkProvider(under(former), scope)).toMatchObject({
      ok: false,
      error: expect.stringMatching('set it again'),
    });
    expect(await listProviderKeys(under(former), projectId)).toMatchObject([{ provider: 'anthropic', lastFour: null }]);
    await setProviderKey(under(former), { ...scope, apiKey: 'sk-2' });
    await ensureInvokeSecret(under(former), { projectId, app: 'shop' });
    expect(await start(former)).toBeUndefined();
  });

  it('tells damaged secrets from those of another key', async () => {
    const projectId = await sealOne();
    await setProviderKey(under(former), { projectId, provider: 'openai', apiKey: 'sk-2' });
    await damage('openai', 1, '00'.repeat(36));
    const reason = await start(another);
    expect(reason).toContain(
      `under another operator key, and this key does not open them: provider anthropic of project ${projectId}.`,
    );
    expect(reason).toContain(
      `a sealed secret of the database is damaged, or a newer version sealed it: provider openai of project ${projectId}.`,
    );
  });

  it('leaves secrets of an unknown former key as they are, and names the cause when one is read', async () => {
    const projectId = await sealOne();
    expect(await start(another, accepted)).toBeUndefined();
    const scope = { projectId, provider: 'anthropic' };
    await expect(readProviderKey(under(another), scope)).rejects.toThrow('another operator key');
    expect(await readProviderKey(under(former), scope)).toEqual({ apiKey: 'sk-1' });
    expect(await start(another)).toContain('ALLOW_NEW_OPERATOR_KEY');
    await setProviderKey(under(another), { ...scope, apiKey: 'sk-2' });
    expect(await start(another)).toBeUndefined();
  });
});
