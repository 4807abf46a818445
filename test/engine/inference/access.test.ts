import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { noAccessReason, resolveAccess, setProviderKey } from '../../../src/engine/inference/index.ts';
import type { ProviderSettings } from '../../../src/engine/settings.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;

const withSettings = (providers: Record<string, ProviderSettings>): EngineContext => ({
  ...engine,
  settings: { ...engine.settings, inference: { ...engine.settings.inference, providers } },
});

beforeAll(async () => {
  engine = test.engine;
});

describe('access to a provider', () => {
  it("is the project's key before the settings' one", async () => {
    projectId = await createTestProject(engine);
    const ctx = withSettings({ anthropic: { apiKey: 'of-settings', baseUrl: undefined } });
    const scope = { projectId, provider: 'anthropic' };
    expect(await resolveAccess(ctx, scope)).toEqual({
      provider: 'anthropic',
      apiKey: 'of-settings',
      baseUrl: undefined,
      keyFrom: 'settings',
    });
    await setProviderKey(ctx, { ...scope, apiKey: 'of-project' });
    expect(await resolveAccess(ctx, scope)).toMatchObject({ apiKey: 'of-project', keyFrom: 'project' });
    const another = { projectId: await createTestProject(engine), provider: 'anthropic' };
    expect(await resolveAccess(ctx, another)).toMatchObject({ apiKey: 'of-settings', keyFrom: 'settings' });
  });

  it("of a project's key without a base URL leads where that of the settings points", async () => {
    projectId = await createTestProject(engine);
    const scope = { projectId, provider: 'openai' };
    const ctx = withSettings({ openai: { apiKey: undefined, baseUrl: 'https://gate.example.com/v1/' } });
    expect(await resolveAccess(ctx, scope)).toBeUndefined();
    await setProviderKey(ctx, { ...scope, apiKey: 'k' });
    expect(await resolveAccess(ctx, scope)).toMatchObject({
      baseUrl: 'https://gate.example.com/v1',
      keyFrom: 'project',
    });
    await setProviderKey(ctx, { ...scope, apiKey: 'k', baseUrl: 'https://other.example.com/api' });
    expect(await resolveAccess(ctx, scope)).toMatchObject({ baseUrl: 'https://other.example.com/api' });
  });

  it.each([
    'https://gate.example.com',
    'https://gate.example.com/',
    'https://gate.example.com/v1',
    'https://gate.example.com/v1/',
  ])('reaches `/v1` of Anthropic by %s', async (baseUrl) => {
    const ctx = withSettings({ anthropic: { apiKey: 'k', baseUrl } });
    const scope = { projectId: await createTestProject(engine), provider: 'anthropic' };
    expect(await resolveAccess(ctx, scope)).toMatchObject({ baseUrl: 'https://gate.example.com/v1' });
  });

  it.each([
    ['anthropic', 'https://api.anthropic.com'],
    ['openai', 'https://api.openai.com/v1/'],
  ])("of %s has no base URL where it names the provider's own", async (provider, baseUrl) => {
    const ctx = withSettings({ [provider]: { apiKey: 'k', baseUrl } });
    const scope = { projectId: await createTestProject(engine), provider };
    expect(await resolveAccess(ctx, scope)).toMatchObject({ apiKey: 'k', baseUrl: undefined });
  });

  it.each(['groq', 'constructor', '__proto__'])('is missing for %s without a key', async (provider) => {
    const ctx = withSettings({ openai: { apiKey: 'k', baseUrl: undefined } });
    expect(await resolveAccess(ctx, { projectId: await createTestProject(engine), provider })).toBeUndefined();
  });
});

describe('the reason of a call without access', () => {
  it('names the provider only where other providers have keys', async () => {
    projectId = await createTestProject(engine);
    const scope = { projectId, provider: 'groq' };
    expect(await noAccessReason(withSettings({}), scope)).toBe('inference is not configured');
    const settings = { openai: { apiKey: 'k', baseUrl: undefined } };
    expect(await noAccessReason(withSettings(settings), scope)).toBe('inference is not configured: no key for groq');
    await setProviderKey(engine, { projectId, provider: 'openai', apiKey: 'k' });
    expect(await noAccessReason(withSettings({}), scope)).toBe('inference is not configured: no key for groq');
  });
});
