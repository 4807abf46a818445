import { beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { setProviderKey } from '../../../src/engine/inference/index.ts';
import {
  ensureInvokeSecret,
  readInvokeSecrets,
  readProviderKey,
  rotateProjectSecrets,
} from '../../../src/engine/secrets/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
let engine: EngineContext;
/** The same service with another operator key. */
let rekeyed: EngineContext;

beforeAll(async () => {
  engine = test.engine;
  rekeyed = { ...engine, settings: { ...engine.settings, operatorKey: 'another operator key' } };
});

describe('invoke secrets', () => {
  it('an app has one, also for concurrent first calls', async () => {
    const scope = { projectId: await createTestProject(engine), app: 'shop' };
    const secrets = await Promise.all(Array.from({ length: 8 }, () => ensureInvokeSecret(engine, scope)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await ensureInvokeSecret(engine, { ...scope, app: 'other' })).not.toBe(secrets[0]);
    expect(await readInvokeSecrets(engine, scope)).toEqual([secrets[0]]);
  });

  it('joins the transaction that it is given', async () => {
    const scope = { projectId: await createTestProject(engine), app: 'shop' };
    const undone = engine.db.transaction(async (tx) => {
      await ensureInvokeSecret(engine, scope, tx);
      throw new Error('roll back');
    });
    await expect(undone).rejects.toThrow('roll back');
    expect(await readInvokeSecrets(engine, scope)).toEqual([]);
  });

  it('after a rotation the old one stays valid for a day, after two only the last two', async () => {
    const scope = { projectId: await createTestProject(engine), app: 'shop' };
    const first = await ensureInvokeSecret(engine, scope);
    await rotateProjectSecrets(engine, scope);
    const [second, ...rest] = await readInvokeSecrets(engine, scope);
    expect(second).not.toBe(first);
    expect(rest).toEqual([first]);
    await rotateProjectSecrets(engine, scope);
    expect((await readInvokeSecrets(engine, scope)).slice(1)).toEqual([second]);
    clock.advance(86_400_000);
    expect(await readInvokeSecrets(engine, scope)).toHaveLength(1);
  });

  it('a sealed secret that was moved to another project does not open', async () => {
    const scope = { projectId: await createTestProject(engine), app: 'shop' };
    await ensureInvokeSecret(engine, scope);
    const thief = await createTestProject(engine);
    await engine.db.query('update sealed_secret set project_id = $1 where project_id = $2', [thief, scope.projectId]);
    await expect(readInvokeSecrets(engine, { ...scope, projectId: thief })).rejects.toThrow('belongs elsewhere');
  });

  it('one that was sealed under another operator key is replaced once, also for concurrent calls', async () => {
    const scope = { projectId: await createTestProject(engine), app: 'shop' };
    const lost = await ensureInvokeSecret(engine, scope);
    expect(await readInvokeSecrets(rekeyed, scope)).toEqual([]);
    const secrets = await Promise.all(Array.from({ length: 8 }, () => ensureInvokeSecret(rekeyed, scope)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).not.toBe(lost);
    expect(await readInvokeSecrets(rekeyed, scope)).toEqual([secrets[0]]);
    expect(await ensureInvokeSecret(rekeyed, scope)).toBe(secrets[0]);
  });

  it('a rotation replaces one that was sealed under another operator key, and nothing overlaps with it', async () => {
    const scope = { projectId: await createTestProject(engine), app: 'shop' };
    const lost = await ensureInvokeSecret(engine, scope);
    await setProviderKey(engine, { projectId: scope.projectId, provider: 'openai', apiKey: 'sk-stale' });
    await setProviderKey(rekeyed, { projectId: scope.projectId, provider: 'anthropic', apiKey: 'sk-fresh' });
    await rotateProjectSecrets(rekeyed, scope);
    const secrets = await readInvokeSecrets(rekeyed, scope);
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/)]);
    expect(secrets).not.toContain(lost);
    const key = (on: EngineContext, provider: string) => readProviderKey(on, { projectId: scope.projectId, provider });
    expect(await key(rekeyed, 'anthropic')).toMatchObject({ apiKey: 'sk-fresh' });
    await expect(key(rekeyed, 'openai')).rejects.toThrow('another operator key');
    expect(await key(engine, 'openai')).toMatchObject({ apiKey: 'sk-stale' });
  });

  it('the project to rotate must exist', async () => {
    await expect(rotateProjectSecrets(engine, { projectId: newId() })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(rotateProjectSecrets(engine, { projectId: 'x' })).rejects.toMatchObject({ kind: 'notFound' });
  });
});

describe('provider keys', () => {
  it('come back as they were set, and are sealed at rest', async () => {
    const projectId = await createTestProject(engine);
    const scope = { projectId, provider: 'openai' };
    await setProviderKey(engine, { ...scope, apiKey: 'sk-visible' });
    await setProviderKey(engine, { ...scope, apiKey: 'sk-second', baseUrl: 'https://llm.example.com/v1' });
    expect(await readProviderKey(engine, scope)).toEqual({
      apiKey: 'sk-second',
      baseUrl: 'https://llm.example.com/v1',
    });
    await rotateProjectSecrets(engine, { projectId });
    expect(await readProviderKey(engine, scope)).toMatchObject({ apiKey: 'sk-second' });
    const [row] = await engine.db.prisma.sealedSecret.findMany({ where: { projectId } });
    expect(Buffer.from(row?.sealed ?? []).includes('sk-second')).toBe(false);
  });

  it('are undefined where none is set', async () => {
    const scope = { projectId: await createTestProject(engine), provider: 'anthropic' };
    expect(await readProviderKey(engine, scope)).toBeUndefined();
  });

  it.each([
    ['provider', { provider: '' }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'x'.repeat(2049) }],
    ['apiKey', { apiKey: 'two lines\n' }],
    ['baseUrl', { baseUrl: 'ftp://example.com' }],
    ['baseUrl', { baseUrl: 'not a url' }],
    ['baseUrl', { baseUrl: 'https://user:pass@example.com' }],
    ['baseUrl', { baseUrl: 'https://example.com/v1?tenant=1' }],
    ['baseUrl', { provider: 'groq', baseUrl: undefined }],
    ['baseUrl', { provider: 'constructor', baseUrl: undefined }],
  ])('a bad %s is named', async (field, change) => {
    const projectId = await createTestProject(engine);
    await expect(
      setProviderKey(engine, { projectId, provider: 'openai', apiKey: 'k', ...change }),
    ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringMatching(new RegExp(`^${field}: `)) });
  });

  it('of an unknown project are refused', async () => {
    await expect(setProviderKey(engine, { projectId: newId(), provider: 'openai', apiKey: 'k' })).rejects.toMatchObject(
      { kind: 'notFound' },
    );
  });
});
