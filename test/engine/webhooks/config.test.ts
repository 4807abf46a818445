import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { type FailPoint, onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { newId } from '../../../src/engine/ids.ts';
import {
  createEndpoint,
  createSource,
  deleteEndpoint,
  deleteSource,
  findEndpoint,
  findSource,
  readEndpointSecrets,
  receiveUrlOf,
  tokenOf,
  updateEndpoint,
  updateSource,
} from '../../../src/engine/webhooks/config/index.ts';
import { findMessageSource, secretsOf, tokenHash } from '../../../src/engine/webhooks/inbound/messageSource.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const clock = new ManualClock();
const scene = useEngine({ clock, settings: { baseUrl: 'https://hooks.example.com' } });
const day = 86_400_000;
afterEach(() => onFailPoint(undefined));
const actor = 'a key';

const endpointOf = async (more: object = {}) => {
  const projectId = await createTestProject(scene.engine);
  const input = { projectId, actor, url: 'https://example.com/hook', eventKinds: ['run.failed'] as const, ...more };
  const { endpoint, secret = '' } = await createEndpoint(scene.engine, input);
  return { projectId, endpointId: endpoint.id, id: endpoint.id, endpoint, secret };
};

const sourceOf = async (more: object = {}) => {
  const projectId = await createTestProject(scene.engine);
  const { source, secret = '' } = await createSource(scene.engine, { projectId, actor, eventName: 'paid', ...more });
  return { projectId, id: source.id, source, secret, token: tokenOf(scene.engine, source) ?? '' };
};

/** The source that a message to this token finds, read anew. */
const receiving = (token: string) =>
  findMessageSource(scene.engine, { hash: tokenHash(token) ?? '', isGone: () => false, sinceMs: performance.now() });
const verifying = async (token: string) => {
  const source = await receiving(token);
  return source && secretsOf(scene.engine, source);
};

test('a generated secret is whsec_ and the base64 of 32 bytes, and signs at once', async () => {
  const { projectId, endpointId, secret } = await endpointOf();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await readEndpointSecrets(scene.engine, { projectId, endpointId })).toEqual([secret]);
});

test('after a rotation both secrets are valid for a day, then only the new one', async () => {
  const { projectId, endpointId, id, secret } = await endpointOf();
  const before = clock.now().getTime();
  const { secret: next, endpoint } = await updateEndpoint(scene.engine, { projectId, actor, id, rotateSecret: true });
  expect(endpoint.previousSecretUntil?.getTime()).toBe(before + day);
  clock.advance(day - 1);
  expect(await readEndpointSecrets(scene.engine, { projectId, endpointId })).toEqual([next, secret]);
  clock.advance(1);
  expect(await readEndpointSecrets(scene.engine, { projectId, endpointId })).toEqual([next]);
  expect((await findEndpoint(scene.engine, { projectId, id }))?.previousSecretUntil).toBeNull();
  await updateEndpoint(scene.engine, { projectId, actor, id, rotateSecret: true });
});

test('a token finds its source by its hash, and is opened for the address', async () => {
  const { source, token, secret } = await sourceOf({ app: 'shop', exposeHeaders: ['X-Topic'] });
  const { sealedToken, previousSecretUntil, name: _, createdAt: __, updatedAt: ___, ...row } = source;
  expect(await receiving(token)).toMatchObject(row);
  expect(await receiving(`${token}x`)).toBeUndefined();
  expect(await verifying(token)).toEqual([secret]);
  expect(receiveUrlOf(scene.engine, token)).toBe(`https://hooks.example.com/webhooks/${token}`);
  expect(row.exposeHeaders).toEqual(['x-topic']);
  expect([sealedToken?.length, previousSecretUntil]).toEqual([expect.any(Number), null]);
});

test('a deleted endpoint leaves no lane and no secret, and its secrets read as none', async () => {
  const { projectId, endpointId, id } = await endpointOf();
  await updateEndpoint(scene.engine, { projectId, actor, id, rotateSecret: true });
  await deleteEndpoint(scene.engine, { projectId, actor, id });
  expect(await readEndpointSecrets(scene.engine, { projectId, endpointId })).toEqual([]);
  expect(await scene.db.prisma.sealedSecret.count({ where: { projectId } })).toBe(0);
  expect(await scene.db.prisma.webhookLane.count({ where: { projectId } })).toBe(0);
});

test('a deleted source leaves no secret, and its token is unknown', async () => {
  const { projectId, id, token } = await sourceOf();
  await updateSource(scene.engine, { projectId, actor, id, rotateSecret: true });
  await deleteSource(scene.engine, { projectId, actor, id });
  expect(await scene.db.prisma.sealedSecret.count({ where: { projectId } })).toBe(0);
  expect(await receiving(token)).toBeUndefined();
  expect(await findSource(scene.engine, { projectId, id })).toBeUndefined();
});

test('a secret that cannot be opened reads as none, and a rotation replaces it', async () => {
  const { projectId, id, token } = await sourceOf();
  await scene.db.query(`update sealed_secret set sealed = sealed || 'x'::bytea where kind = 'webhook_source'`);
  expect(await verifying(token)).toBeUndefined();
  const { secret } = await updateSource(scene.engine, { projectId, actor, id, rotateSecret: true });
  expect(await verifying(token)).toEqual([secret]);
});

test('an endpoint that is enabled again forgets its failures, and senders look for its deliveries', async () => {
  const { projectId, id } = await endpointOf();
  await scene.db.prisma.webhookEndpoint.update({ where: { id }, data: { enabled: false, disabledAt: clock.now() } });
  await scene.db.prisma.webhookLane.update({ where: { id }, data: { failures: 7, failingSince: clock.now() } });
  const hints: string[] = [];
  const stop = scene.engine.bus.on('delivery.due', () => void hints.push('due'));
  const { endpoint } = await updateEndpoint(scene.engine, { projectId, actor, id, enabled: true });
  stop();
  expect(endpoint).toMatchObject({ enabled: true, disabledAt: null });
  expect(await scene.db.prisma.webhookLane.findUnique({ where: { id } })).toMatchObject({
    failures: 0,
    failingSince: null,
  });
  expect(hints).toEqual(['due']);
});

test('a change of an endpoint outdates the copies of its project', async () => {
  const { projectId, id } = await endpointOf();
  expect((await scene.engine.registry.snapshot(projectId)).hasEndpoints).toBe(true);
  await updateEndpoint(scene.engine, { projectId, actor, id, enabled: false });
  expect((await scene.engine.registry.snapshot(projectId)).hasEndpoints).toBe(false);
  const before = await scene.db.prisma.project.findUniqueOrThrow({ where: { id: projectId } });
  await updateEndpoint(scene.engine, { projectId, actor, id });
  await updateEndpoint(scene.engine, { projectId, actor, id, enabled: false });
  const same = await scene.db.prisma.project.findUniqueOrThrow({ where: { id: projectId } });
  expect(same.registryVersion).toBe(before.registryVersion);
});

test('an endpoint of a project that has gone is not created', async () => {
  const input = { projectId: newId(), actor, url: 'https://example.com', eventKinds: ['run.failed'] as const };
  await expect(createEndpoint(scene.engine, input)).rejects.toThrow('project not found');
  await expect(createSource(scene.engine, { projectId: newId(), actor, eventName: 'x' })).rejects.toThrow('not found');
});

/** Everything that the configuration of a project has stored. */
async function stored(projectId: string): Promise<unknown> {
  const { prisma } = scene.db;
  const where = { projectId };
  return [
    await prisma.webhookEndpoint.findMany({ where }),
    await prisma.webhookLane.findMany({ where }),
    await prisma.webhookSource.findMany({ where }),
    await prisma.sealedSecret.findMany({ where, orderBy: { kind: 'asc' } }),
    await prisma.project.findUnique({ where: { id: projectId } }),
  ];
}

/** The fail-points that a write passes before its commit. */
async function pointsOf(write: () => Promise<unknown>): Promise<FailPoint[]> {
  const points: FailPoint[] = [];
  onFailPoint((point) => void points.push(point));
  await write();
  onFailPoint(undefined);
  return points.slice(0, points.indexOf('transaction:after'));
}

test.each([
  'create an endpoint',
  'change an endpoint',
  'rotate a secret',
  'delete an endpoint',
  'create a source',
  'change a source',
  'delete a source',
] as const)('%s: a write that breaks off before its commit changes nothing, and tells of nothing', async (what) => {
  const writeTo = async () => {
    const { projectId, id } = await endpointOf({ name: 'a' });
    const { source } = await createSource(scene.engine, { projectId, actor, eventName: 'x', name: 'a' });
    await updateEndpoint(scene.engine, { projectId, actor, id, rotateSecret: true });
    const of = { projectId, actor, id };
    const ofSource = { projectId, actor, id: source.id };
    const writes = {
      'create an endpoint': () =>
        createEndpoint(scene.engine, { projectId, actor, url: 'https://example.com/b', eventKinds: ['run.failed'] }),
      'change an endpoint': () => updateEndpoint(scene.engine, { ...of, enabled: true, revokePrevious: true }),
      'rotate a secret': () => updateEndpoint(scene.engine, { ...of, rotateSecret: true, force: true }),
      'delete an endpoint': () => deleteEndpoint(scene.engine, of),
      'create a source': () => createSource(scene.engine, { projectId, actor, eventName: 'x' }),
      'change a source': () => updateSource(scene.engine, { ...ofSource, name: 'b', rotateSecret: true }),
      'delete a source': () => deleteSource(scene.engine, ofSource),
    };
    return { projectId, write: writes[what] };
  };
  const points = await pointsOf((await writeTo()).write);
  expect(points.length).toBeGreaterThan(2);
  const { projectId, write } = await writeTo();
  const before = await stored(projectId);
  const told: unknown[] = [];
  const stop = scene.engine.bus.on('registry.changed', (message) => void told.push(message));
  for (const [position] of points.entries()) {
    let left = position;
    onFailPoint((point) => {
      left -= 1;
      if (left === -1) throw new Error(`broken off at ${point}`);
    });
    await expect(write()).rejects.toThrow('broken off');
    expect(await stored(projectId)).toEqual(before);
  }
  stop();
  expect(told).toEqual([]);
});

test('a change and a delete at the same time leave no secret without its owner', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { projectId, id } = await endpointOf();
    const change = updateEndpoint(scene.engine, { projectId, actor, id, rotateSecret: true });
    const results = await Promise.allSettled([change, deleteEndpoint(scene.engine, { projectId, actor, id })]);
    expect(results[1].status).toBe('fulfilled');
    expect(await scene.db.prisma.sealedSecret.count({ where: { projectId } })).toBe(0);
    expect(await scene.db.prisma.webhookLane.count({ where: { projectId } })).toBe(0);
  }
});
