import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import {
  listProviderKeys,
  removeProviderKey,
  resolveAccess,
  setProviderKey,
} from '../../../src/engine/inference/index.ts';
import { keyIdSql, settingsOwner } from '../../../src/engine/inference/sql/keySql.ts';
import type { ProviderSettings } from '../../../src/engine/settings.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let engine: EngineContext;

const withSettings = (providers: Record<string, ProviderSettings>): EngineContext => ({
  ...engine,
  settings: { ...engine.settings, inference: { ...engine.settings.inference, providers } },
});

/** A key as calls leave it. */
const insertUse = (owner: string, provider: string, refusal: string | null) =>
  engine.db.query({
    text: `insert into inference_key (id, project_id, provider, last_used_at, last_refused_at, last_refusal)
           values (${keyIdSql('$1::text', '$2::text')}, null, $2, '2026-03-01T10:00:00Z',
             case when $3::text is not null then timestamptz '2026-03-01T09:00:00Z' end, $3)`,
    values: [owner, provider, refusal],
  });

beforeAll(() => {
  engine = test.engine;
});

describe('the provider keys of a project', () => {
  it('are its own and those of the settings that serve it, never the key', async () => {
    const projectId = await createTestProject(engine);
    const ctx = withSettings({
      anthropic: { apiKey: 'sk-ant-settings-1234', baseUrl: undefined },
      openai: { apiKey: 'sk-oai-settings-5678', baseUrl: 'https://gate.example.com/v1' },
      unset: { apiKey: undefined, baseUrl: 'https://unset.example.com' },
    });
    await setProviderKey(ctx, { projectId, provider: 'openai', apiKey: 'sk-of-the-project-9999' });
    await setProviderKey(ctx, { projectId, provider: 'local', apiKey: 'ollama', baseUrl: 'http://localhost:11434/v1' });
    const unused = { lastUsedAt: null, lastRefusedAt: null, lastRefusal: null };
    const listed = await listProviderKeys(ctx, projectId);
    expect(listed).toEqual([
      { provider: 'local', source: 'project', lastFour: null, baseUrl: 'http://localhost:11434/v1', ...unused },
      { provider: 'openai', source: 'project', lastFour: '9999', baseUrl: 'https://gate.example.com/v1', ...unused },
      { provider: 'anthropic', source: 'settings', lastFour: '1234', baseUrl: null, ...unused },
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/sk-|ollama/);
  });

  it('tell when a call used them last, and what the provider refused', async () => {
    const projectId = await createTestProject(engine);
    const ctx = withSettings({ anthropic: { apiKey: 'sk-ant-settings-1234', baseUrl: undefined } });
    await setProviderKey(ctx, { projectId, provider: 'openai', apiKey: 'sk-of-the-project-9999' });
    await insertUse(projectId, 'openai', 'status 401: invalid key');
    await insertUse(settingsOwner, 'anthropic', null);
    expect(await listProviderKeys(ctx, projectId)).toMatchObject([
      {
        provider: 'openai',
        lastUsedAt: new Date('2026-03-01T10:00:00Z'),
        lastRefusedAt: new Date('2026-03-01T09:00:00Z'),
        lastRefusal: 'status 401: invalid key',
      },
      { provider: 'anthropic', lastUsedAt: new Date('2026-03-01T10:00:00Z'), lastRefusal: null },
    ]);
    const another = await createTestProject(engine);
    await setProviderKey(ctx, { projectId: another, provider: 'openai', apiKey: 'sk-of-the-project-9999' });
    expect(await listProviderKeys(ctx, another)).toMatchObject([{ lastUsedAt: null, lastRefusal: null }, {}]);
  });

  it('are listed also where one was sealed under an operator key that is unknown', async () => {
    const projectId = await createTestProject(engine);
    await setProviderKey(engine, { projectId, provider: 'openai', apiKey: 'sk-of-the-project-9999' });
    const rekeyed = { ...engine, settings: { ...engine.settings, operatorKey: 'another operator key' } };
    expect(await listProviderKeys(rekeyed, projectId)).toMatchObject([{ provider: 'openai', lastFour: null }]);
  });
});

describe('a changed provider key', () => {
  const lanesOf = async (projectId: string) => {
    const calls = await engine.db.prisma.inferenceCall.findMany({ where: { projectId } });
    return new Set(calls.map(({ keyId }) => keyId)).size === 1 ? calls[0]?.keyId : 'several';
  };
  const keyOf = async (owner: string) => {
    const { rows } = await engine.db.query({
      text: `select ${keyIdSql('$1::text', `'openai'`)} as id`,
      values: [owner],
    });
    return rows[0]?.id;
  };

  it('takes over the calls that wait, when it is set and when it is removed', async () => {
    const projectId = await createTestProject(engine);
    await engine.db.query({
      text: `insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request,
               request_bytes, due_at, deadline_at, idempotency_key)
             select gen_random_uuid(), 0, 1, $1, ${keyIdSql(`'${settingsOwner}'`, `'openai'`)}, gen_random_uuid(), 'openai', 'm', '', 0,
               now(), now(), gen_random_uuid() from generate_series(1, 3)`,
      values: [projectId],
    });
    await setProviderKey(engine, { projectId, provider: 'openai', apiKey: 'sk-of-the-project-9999' });
    expect(await lanesOf(projectId)).toBe(await keyOf(projectId));
    await removeProviderKey(engine, { projectId, provider: 'openai' });
    expect(await lanesOf(projectId)).toBe(await keyOf(settingsOwner));
  });
});

describe('a removed provider key', () => {
  it('leaves the project with that of the settings', async () => {
    const projectId = await createTestProject(engine);
    const ctx = withSettings({ openai: { apiKey: 'sk-oai-settings-5678', baseUrl: undefined } });
    const scope = { projectId, provider: 'openai' };
    await setProviderKey(ctx, { ...scope, apiKey: 'sk-of-the-project-9999' });
    await removeProviderKey(ctx, scope);
    expect(await resolveAccess(ctx, scope)).toMatchObject({ keyFrom: 'settings' });
    await expect(removeProviderKey(ctx, scope)).rejects.toMatchObject({ kind: 'notFound' });
  });
});
