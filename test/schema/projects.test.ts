import { describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { authenticate, createApiKey } from '../../src/engine/keys/index.ts';
import { serviceVersion } from '../../src/engine/version.ts';
import { prepare, run } from '../../src/schema/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, operator, publicKey, query, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();

const asOperator = (document: string, variables = {}) => query(test.engine, operator(), document, variables);

describe('operators', () => {
  it('create, rename, bound and suspend a project', async () => {
    const { createProject } = (await asOperator(
      'mutation { createProject(input: { name: "books", concurrencyCeiling: 7 }) { project { id name concurrencyCeiling suspended } } }',
    )) as { createProject: { project: { id: string } } };
    const { id } = createProject.project;
    expect(createProject).toEqual({ project: { id, name: 'books', concurrencyCeiling: 7, suspended: false } });

    const change = `mutation ($input: UpdateProjectInput!) {
      updateProject(input: $input) { project { name concurrencyCeiling suspended } } }`;
    expect(await asOperator(change, { input: { id, suspended: true } })).toEqual({
      updateProject: { project: { name: 'books', concurrencyCeiling: 7, suspended: true } },
    });
    expect(
      await asOperator(change, { input: { id, name: 'library', concurrencyCeiling: 0, suspended: false } }),
    ).toEqual({
      updateProject: { project: { name: 'library', concurrencyCeiling: 0, suspended: false } },
    });
    await expect(asOperator(change, { input: { id: newId(), name: 'x' } })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(asOperator(change, { input: { id: 'x', name: 'x' } })).rejects.toMatchObject({ kind: 'notFound' });

    const { projects } = (await asOperator('{ projects { name } }')) as { projects: unknown[] };
    expect(projects).toContainEqual({ name: 'library' });
  });

  it('are told the token of a new key though another mutation of the operation fails', async () => {
    const document = prepare(`mutation ($id: ID!, $unknown: ID!) {
      first: createApiKey(input: { projectId: $id, name: "a", kind: SECRET }) { token }
      second: createApiKey(input: { projectId: $unknown, name: "b", kind: SECRET }) { token }
      third: createApiKey(input: { projectId: $id, name: "c", kind: SECRET }) { token } }`);
    const variables = { id: await createTestProject(test.engine), unknown: newId() };
    const { data, error } = await run(document, variables, contextOf(test.engine, operator()));
    const key = { token: expect.stringMatching(/^hf_sk_/) };
    expect(data).toEqual({ first: key, second: null, third: key });
    expect(error).toMatchObject({ kind: 'notFound' });
  });

  it('issue keys, whose token is shown once, list them and revoke them', async () => {
    const projectId = await createTestProject(test.engine);
    const { createApiKey } = (await asOperator(
      `mutation ($id: ID!) { createApiKey(input: { projectId: $id, name: "ci", kind: PUBLIC, expiresAt: "2999-01-01T00:00:00Z" }) {
         token apiKey { id projectId name kind hint expiresAt revokedAt } } }`,
      { id: projectId },
    )) as { createApiKey: { token: string; apiKey: { id: string; hint: string } } };
    const { token, apiKey } = createApiKey;
    expect(token).toMatch(/^hf_pk_/);
    expect(apiKey).toMatchObject({
      projectId,
      name: 'ci',
      kind: 'PUBLIC',
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: null,
    });

    const listed = await query(test.engine, operator(projectId), '{ viewer { project { apiKeys { id hint } } } }');
    expect(JSON.stringify(listed)).toContain(apiKey.id);
    expect(JSON.stringify(listed)).not.toContain(token);
    await authenticate(test.engine, { authorization: `Bearer ${token}` });

    const revoke = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { revokedAt } } }';
    const { revokeApiKey } = (await asOperator(revoke, { id: apiKey.id })) as {
      revokeApiKey: { apiKey: { revokedAt: string } };
    };
    expect(revokeApiKey.apiKey.revokedAt).toMatch(/Z$/);
    await expect(authenticate(test.engine, { authorization: `Bearer ${token}` })).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
    await expect(asOperator(revoke, { id: newId() })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('rotate secrets and set provider keys, none of which is ever read out', async () => {
    const projectId = await createTestProject(test.engine);
    const set = `mutation ($input: SetProviderKeyInput!) { setProviderKey(input: $input) { provider project { id } } }`;
    const input = { projectId, provider: 'anthropic', apiKey: 'sk-very-secret' };
    expect(await asOperator(set, { input })).toEqual({
      setProviderKey: { provider: 'anthropic', project: { id: projectId } },
    });
    await expect(asOperator(set, { input: { ...input, projectId: newId() } })).rejects.toMatchObject({
      kind: 'notFound',
    });
    await expect(asOperator(set, { input: { ...input, provider: 'groq' } })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'baseUrl: is required, unless the provider is anthropic or openai',
    });
    expect(
      await asOperator('mutation ($id: ID!) { rotateProjectSecrets(input: { projectId: $id }) { project { id } } }', {
        id: projectId,
      }),
    ).toEqual({ rotateProjectSecrets: { project: { id: projectId } } });
  });
});

describe('apiKeys', () => {
  it('lists the keys of all projects page by page, with platform keys, for operators alone', async () => {
    const projectId = await createTestProject(test.engine);
    const own = await createApiKey(test.engine, { projectId, name: 'own', kind: 'secret' });
    const platform = await createApiKey(test.engine, { name: 'portal', kind: 'platform' });
    const list = 'query ($after: ID, $limit: Int) { apiKeys(after: $after, limit: $limit) { id projectId name kind } }';
    const { apiKeys: first } = (await asOperator(list, { limit: 1 })) as { apiKeys: unknown[] };
    expect(first).toEqual([{ id: platform.apiKey.id, projectId: null, name: 'portal', kind: 'PLATFORM' }]);
    const next = await asOperator(list, { limit: 1, after: platform.apiKey.id });
    expect(next).toEqual({ apiKeys: [{ id: own.apiKey.id, projectId, name: 'own', kind: 'SECRET' }] });
    for (const caller of [publicKey(projectId), secretKey(projectId)])
      await expect(query(test.engine, caller, list)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(asOperator(list, { limit: 1001 })).resolves.toBeDefined();
    await expect(asOperator(list, { limit: 0 })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(asOperator(list, { after: 'x' })).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('provider keys', () => {
  const fields = 'providerKeys { provider source lastFour baseUrl lastUsedAt lastRefusedAt lastRefusal }';
  const list = async (projectId: string) =>
    query(test.engine, operator(projectId), `{ viewer { project { ${fields} } } }`);
  const unused = { lastUsedAt: null, lastRefusedAt: null, lastRefusal: null };

  it('are listed for operators alone, without the key, and can be removed', async () => {
    const projectId = await createTestProject(test.engine);
    const set = `mutation ($input: SetProviderKeyInput!) { setProviderKey(input: $input) { provider } }`;
    await asOperator(set, { input: { projectId, provider: 'openai', apiKey: 'sk-very-secret' } });
    expect(await list(projectId)).toEqual({
      viewer: {
        project: {
          providerKeys: [{ provider: 'openai', source: 'PROJECT', lastFour: 'cret', baseUrl: null, ...unused }],
        },
      },
    });
    const asProject = query(test.engine, secretKey(projectId), `{ viewer { project { ${fields} } } }`);
    await expect(asProject).rejects.toMatchObject({ kind: 'forbidden' });

    const remove = `mutation ($input: RemoveProviderKeyInput!) {
      removeProviderKey(input: $input) { provider project { id ${fields} } } }`;
    const input = { projectId, provider: 'openai' };
    expect(await asOperator(remove, { input })).toEqual({
      removeProviderKey: { provider: 'openai', project: { id: projectId, providerKeys: [] } },
    });
    await expect(asOperator(remove, { input })).rejects.toMatchObject({
      kind: 'notFound',
      message: 'provider key not found',
    });
    const elsewhere = { projectId: 'x', provider: 'openai' };
    await expect(asOperator(remove, { input: elsewhere })).rejects.toMatchObject({ kind: 'notFound' });
  });
});

describe('service', () => {
  it('tells every caller its version, its clock and its limits, and reads nothing', async () => {
    const projectId = await createTestProject(test.engine);
    const { engine, statements } = recordStatements(test.engine);
    const document = '{ service { version now limits { bulkRuns jsonDepth readMs nameLength } } }';
    for (const caller of [publicKey(projectId), operator()]) {
      const asked = Date.now();
      const { service } = (await query(engine, caller, document)) as { service: { now: string } };
      expect(service).toEqual({
        version: serviceVersion,
        now: expect.any(String),
        limits: { bulkRuns: 1000, jsonDepth: 500, readMs: 15_000, nameLength: 256 },
      });
      expect(Date.parse(service.now)).toBeGreaterThanOrEqual(asked);
    }
    expect(statements).toEqual([]);
  });
});

describe('viewer', () => {
  it("is the key's project, name and kind", async () => {
    const projectId = await createTestProject(test.engine);
    const document = '{ viewer { name kind actor project { id suspended } } }';
    expect(await query(test.engine, secretKey(projectId), document)).toEqual({
      viewer: { name: 'test key', kind: 'SECRET', actor: null, project: { id: projectId, suspended: false } },
    });
    expect(await query(test.engine, operator(), document)).toEqual({
      viewer: { name: 'operator', kind: 'OPERATOR', actor: null, project: null },
    });
    const platform = { kind: 'platform', keyId: newId(), keyName: 'portal', projectId, actor: 'ada' } as const;
    expect(await query(test.engine, platform, document)).toMatchObject({ viewer: { kind: 'PLATFORM', actor: 'ada' } });
  });
});
