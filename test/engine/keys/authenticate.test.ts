import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import {
  authenticate,
  createApiKey,
  flushKeyUsage,
  listApiKeys,
  mintKey,
  requireOperator,
  requireProject,
  requireWrite,
  revokeApiKey,
} from '../../../src/engine/keys/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const operatorKey = mintKey('operator').token;
const clock = new ManualClock();
const test = useEngine({ clock, settings: { operatorKey } });
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
});
afterAll(() => flushKeyUsage(engine));

const bearer = (token: string): string => `Bearer ${token}`;
const issue = (kind: 'secret' | 'public' | 'platform', expiresAt?: Date) =>
  createApiKey(engine, {
    projectId: kind === 'platform' ? undefined : projectId,
    name: `${kind} key`,
    kind,
    expiresAt,
  });

describe('a call is known by its bearer token (5)', () => {
  it.each(['secret', 'public'] as const)('a %s key acts in its own project', async (kind) => {
    const { apiKey, token } = await issue(kind);
    expect(await authenticate(engine, { authorization: bearer(token) })).toEqual({
      kind,
      keyId: apiKey.id,
      keyName: `${kind} key`,
      projectId,
    });
  });

  it('the scheme is read in any case', async () => {
    const { token } = await issue('secret');
    await expect(authenticate(engine, { authorization: `bearer  ${token} ` })).resolves.toMatchObject({ projectId });
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'Bearer two words',
    `Bearer ${'x'.repeat(100_000)}`,
    'Bearer hf_sk_nonsense',
  ])('a missing or malformed key is refused: %.40j', async (authorization) => {
    await expect(authenticate(engine, { authorization })).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  it('a well-formed key that was never issued is refused', async () => {
    const authorization = bearer(mintKey('secret').token);
    await expect(authenticate(engine, { authorization })).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  it('a secret key cannot act for a project or a person that it names', async () => {
    const other = await createTestProject(engine);
    const { token } = await issue('secret');
    const principal = await authenticate(engine, { authorization: bearer(token), project: other, actor: 'mallory' });
    expect(principal).toMatchObject({ kind: 'secret', projectId });
    expect(principal).not.toHaveProperty('actor');
  });
});

describe('a key that ended opens nothing', () => {
  it('a revoked key is refused by the process that revoked it at once, though it was cached', async () => {
    const { apiKey, token } = await issue('secret');
    await authenticate(engine, { authorization: bearer(token) });
    await revokeApiKey(engine, { id: apiKey.id });
    await expect(authenticate(engine, { authorization: bearer(token) })).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
  });

  it('a look-up in progress when the key was revoked is not cached', async () => {
    const { apiKey, token } = await issue('secret');
    const early = authenticate(engine, { authorization: bearer(token) });
    engine.bus.emit('key.revoked', { keyId: apiKey.id });
    await early;
    await engine.db.query('update api_key set revoked_at = now() where id = $1', [apiKey.id]);
    await expect(authenticate(engine, { authorization: bearer(token) })).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
  });

  it('an expired key is refused from that instant on', async () => {
    const { token } = await issue('secret', new Date(clock.now().getTime() + 60_000));
    clock.advance(59_999);
    await expect(authenticate(engine, { authorization: bearer(token) })).resolves.toMatchObject({ projectId });
    clock.advance(1);
    await expect(authenticate(engine, { authorization: bearer(token) })).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
  });
});

describe('a platform key acts for the project and the person that it names (11)', () => {
  it('by the id or the name of the project', async () => {
    const { token } = await issue('platform');
    await updateProject(engine, { id: projectId, name: 'named project' });
    for (const project of [projectId, 'named project']) {
      const principal = await authenticate(engine, {
        authorization: bearer(token),
        project,
        actor: ' ada@example.com ',
      });
      expect(principal).toMatchObject({ kind: 'platform', projectId, actor: 'ada@example.com' });
    }
  });

  it('it belongs to no project itself, and must name one', async () => {
    const { apiKey, token } = await issue('platform');
    expect(apiKey.projectId).toBeNull();
    await expect(authenticate(engine, { authorization: bearer(token) })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('X-Service-Project'),
    });
  });

  it('one that was issued for a project acts for no other, and must name it all the same', async () => {
    const { apiKey, token } = await createApiKey(engine, { projectId, name: 'bound', kind: 'platform' });
    expect(apiKey.projectId).toBe(projectId);
    const call = (project?: string) => authenticate(engine, { authorization: bearer(token), project, actor: 'ada' });
    expect(await call(projectId)).toMatchObject({ kind: 'platform', projectId, actor: 'ada' });
    await expect(call(await createTestProject(engine))).rejects.toMatchObject({
      kind: 'notFound',
      message: 'project not found',
    });
    await expect(call()).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('and is not issued for a project that does not exist', async () => {
    const unknown = { projectId: '0199aaaa-0000-7000-8000-000000000000', name: 'lost', kind: 'platform' } as const;
    await expect(createApiKey(engine, unknown)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it.each(['0199aaaa-0000-7000-8000-000000000000', 'no such project', 'a\0b', 'x'.repeat(5000)])(
    'a project that does not exist is not found: %.40j',
    async (project) => {
      const { token } = await issue('platform');
      await expect(authenticate(engine, { authorization: bearer(token), project })).rejects.toMatchObject({
        kind: 'notFound',
      });
    },
  );

  it.each([
    ['that no column can hold', 'a\0b'],
    ['that no column can hold', '\ud800'],
    ['that no column can hold', 'x'.repeat(257)],
    ['of the service’s own', ' system:timeout'],
    ['that looks like one of the service’s own', 'System:timeout'],
    ['that looks like one of the service’s own', 'ｓｙｓｔｅｍ：timeout'],
    ['that looks like one of the service’s own', 'ſystem:timeout'],
    ['that looks like one of the service’s own', 'sys\u200btem\u00ad:timeout'],
    ['that looks like one of the service’s own', '\u2060 system\ufe0f:timeout'],
    ['that looks like one of the service’s own', '\u3164system:timeout'],
  ])('an actor %s is refused: %.40j', async (_, actor) => {
    const { token } = await issue('platform');
    await expect(
      authenticate(engine, { authorization: bearer(token), project: projectId, actor }),
    ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('X-Service-Actor') });
  });
});

describe('the operator key', () => {
  it('acts for no project unless it names one', async () => {
    const authorization = bearer(operatorKey);
    const operator = await authenticate(engine, { authorization });
    expect(operator).toEqual({ kind: 'operator', keyName: 'operator', projectId: undefined });
    expect(() => requireProject(operator)).toThrow('X-Service-Project');
    const named = await authenticate(engine, { authorization, project: projectId });
    expect(requireProject(named)).toBe(projectId);
  });

  it('is the only one for operations of the operator', async () => {
    const { token } = await issue('secret');
    const secret = await authenticate(engine, { authorization: bearer(token) });
    expect(() => requireOperator(secret)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
    requireOperator(await authenticate(engine, { authorization: bearer(operatorKey) }));
  });

  it('without one set, no key is the operator', async () => {
    const without = { ...engine, settings: { ...engine.settings, operatorKey: '' } };
    await expect(authenticate(without, { authorization: bearer(operatorKey) })).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
  });
});

describe('a public key may only read (5.7)', () => {
  it('a write is forbidden with a text that asks for a secret key', async () => {
    const { token } = await issue('public');
    const principal = await authenticate(engine, { authorization: bearer(token) });
    expect(() => requireWrite(principal)).toThrow(
      expect.objectContaining({ kind: 'forbidden', message: expect.stringContaining('full-access (secret) key') }),
    );
  });

  it.each(['secret', 'platform'] as const)('a %s key may write', async (kind) => {
    const { token } = await issue(kind);
    requireWrite(await authenticate(engine, { authorization: bearer(token), project: projectId }));
  });
});

describe('the last use of a key is recorded, coarsely', () => {
  const lastUse = async (id: string): Promise<Date | null | undefined> =>
    (await listApiKeys(engine, { projectId, limit: 1000 })).find((key) => key.id === id)?.lastUsedAt;

  it('after the call, not within it, and at most once a minute', async () => {
    const { apiKey, token } = await issue('secret');
    await authenticate(engine, { authorization: bearer(token) });
    expect(await lastUse(apiKey.id)).toBeNull();
    await flushKeyUsage(engine);
    const first = await lastUse(apiKey.id);
    expect(first).toEqual(clock.now());
    clock.advance(30_000);
    await authenticate(engine, { authorization: bearer(token) });
    await flushKeyUsage(engine);
    expect(await lastUse(apiKey.id)).toEqual(first);
  });
});
