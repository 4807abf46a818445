import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { createApiKey, hashKey, listApiKeys, revokeApiKey } from '../../../src/engine/keys/index.ts';
import {
  createProject,
  ensureDefaultProject,
  getProject,
  listProjects,
  updateProject,
} from '../../../src/engine/projects/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let engine: EngineContext;

beforeAll(async () => {
  engine = test.engine;
});

const invalid = (field: string) => ({ kind: 'invalid', message: expect.stringMatching(new RegExp(`^${field}: `)) });

describe('projects', () => {
  it('a project is created with no ceiling unless one is given', async () => {
    expect(await createProject(engine, { name: 'plain' })).toMatchObject({ concurrencyCeiling: 0, suspended: false });
    expect(await createProject(engine, { name: 'capped', concurrencyCeiling: 7 })).toMatchObject({
      concurrencyCeiling: 7,
    });
  });

  it('of two projects that race for a name one is created', async () => {
    const results = await Promise.allSettled([1, 2, 3].map(() => createProject(engine, { name: 'contested' })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: 'conflict' });
    }
  });

  it.each(['', '   ', 'x'.repeat(257), 'a\0b', 'line\nbreak', '\udfff'])(
    'a bad name is refused: %.20j',
    async (name) => {
      await expect(createProject(engine, { name })).rejects.toMatchObject(invalid('name'));
    },
  );

  it('a name of 256 characters of any script is accepted', async () => {
    const name = '😀'.repeat(256);
    expect((await createProject(engine, { name })).name).toBe(name);
  });

  it.each([-1, 1.5, Number.NaN, 2_147_483_648])('a bad ceiling is refused: %s', async (concurrencyCeiling) => {
    await expect(createProject(engine, { name: 'x', concurrencyCeiling })).rejects.toMatchObject(
      invalid('concurrencyCeiling'),
    );
  });

  it('an update changes the given fields, increments the registry version and announces it', async () => {
    const { id } = await createProject(engine, { name: 'before' });
    const changed: string[] = [];
    const stop = engine.bus.on('registry.changed', ({ projectId }) => changed.push(projectId));
    const version = async () => (await engine.db.prisma.project.findUniqueOrThrow({ where: { id } })).registryVersion;
    const earlier = await version();
    expect(await updateProject(engine, { id, suspended: true })).toMatchObject({ name: 'before', suspended: true });
    expect(await updateProject(engine, { id, name: 'after', concurrencyCeiling: 3 })).toMatchObject({
      name: 'after',
      concurrencyCeiling: 3,
      suspended: true,
    });
    expect(await updateProject(engine, { id, suspended: false, concurrencyCeiling: 0 })).toMatchObject({
      suspended: false,
      concurrencyCeiling: 0,
    });
    stop();
    expect(await version()).toBe(earlier + 3n);
    expect(changed).toEqual([id, id, id]);
  });

  it('suspending a suspended project keeps the time at which that began', async () => {
    const { id } = await createProject(engine, { name: 'twice suspended' });
    const since = async () => (await engine.db.prisma.project.findUniqueOrThrow({ where: { id } })).suspendedAt;
    await updateProject(engine, { id, suspended: true });
    const first = await since();
    await updateProject(engine, { id, suspended: true });
    expect(await since()).toEqual(first);
  });

  it('a name in use is a conflict on update too', async () => {
    await createProject(engine, { name: 'taken' });
    const { id } = await createProject(engine, { name: 'free' });
    await expect(updateProject(engine, { id, name: 'taken' })).rejects.toMatchObject({ kind: 'conflict' });
  });

  it.each(['not-an-id', newId()])('an unknown project is not found: %s', async (id) => {
    await expect(updateProject(engine, { id, name: 'y' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(getProject(engine, id)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('projects are listed oldest first, page by page', async () => {
    const all = await listProjects(engine, { limit: 1000 });
    const paged = [];
    for (let after: string | undefined; ; after = paged.at(-1)?.id) {
      const page = await listProjects(engine, { after, limit: 2 });
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
    await expect(listProjects(engine, { limit: 0 })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'limit must be an integer of at least 1',
    });
    await expect(listProjects(engine, { after: 'x' })).rejects.toMatchObject(invalid('after'));
  });

  it('processes that start at once agree on one default project', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => ensureDefaultProject(engine)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await getProject(engine, 'default')).toEqual(made[0]);
  });
});

describe('keys', () => {
  it('a key is shown once; the database holds its hash only', async () => {
    const projectId = await createTestProject(engine);
    const { apiKey, token } = await createApiKey(engine, { projectId, name: 'ci', kind: 'secret' });
    const row = await engine.db.prisma.apiKey.findUniqueOrThrow({ where: { id: apiKey.id } });
    expect(Buffer.from(row.tokenHash)).toEqual(hashKey(token));
    expect(JSON.stringify(row)).not.toContain(token);
    expect(apiKey).toMatchObject({ projectId, name: 'ci', kind: 'secret', expiresAt: null, revokedAt: null });
  });

  it('bad input names its field', async () => {
    const projectId = await createTestProject(engine);
    const create = (change: object) => createApiKey(engine, { projectId, name: 'k', kind: 'public', ...change });
    await expect(create({ name: ' ' })).rejects.toMatchObject(invalid('name'));
    await expect(create({ kind: 'operator' })).rejects.toMatchObject(invalid('kind'));
    await expect(create({ expiresAt: new Date(0) })).rejects.toMatchObject(invalid('expiresAt'));
    await expect(create({ expiresAt: new Date('never') })).rejects.toMatchObject(invalid('expiresAt'));
    await expect(create({ expiresAt: new Date(8.64e15) })).rejects.toMatchObject(invalid('expiresAt'));
    await expect(create({ projectId: undefined })).rejects.toMatchObject(invalid('projectId'));
    await expect(create({ projectId: 'x' })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(create({ projectId: newId() })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('revoking keeps the first time, and an unknown key is not found', async () => {
    const projectId = await createTestProject(engine);
    const { apiKey } = await createApiKey(engine, { projectId, name: 'k', kind: 'secret' });
    const revoked = await revokeApiKey(engine, { id: apiKey.id });
    expect(revoked.revokedAt).toBeInstanceOf(Date);
    expect(await revokeApiKey(engine, { id: apiKey.id })).toEqual(revoked);
    await expect(revokeApiKey(engine, { id: newId() })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(revokeApiKey(engine, { id: "' or 1=1" })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('a key goes with its project, and never outlives the bond to it', async () => {
    const projectId = await createTestProject(engine);
    for (const kind of ['secret', 'platform'] as const) await createApiKey(engine, { name: kind, kind, projectId });
    await test.db.query('delete from project where id = $1', [projectId]);
    const { rows } = await test.db.query("select name from api_key where name in ('secret', 'platform')");
    expect(rows).toEqual([]);
  });

  it('keys are listed newest first, of one project or of all', async () => {
    const projectId = await createTestProject(engine);
    const older = await createApiKey(engine, { projectId, name: 'older', kind: 'secret' });
    const newer = await createApiKey(engine, { projectId, name: 'newer', kind: 'public' });
    const platform = await createApiKey(engine, { name: 'everywhere', kind: 'platform' });
    expect(await listApiKeys(engine, { projectId })).toEqual([newer.apiKey, older.apiKey]);
    expect(await listApiKeys(engine, { projectId, after: newer.apiKey.id })).toEqual([older.apiKey]);
    expect((await listApiKeys(engine, { limit: 1 }))[0]).toEqual(platform.apiKey);
  });
});
