import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { lifecycleKinds } from '../../../../src/engine/lifecycle/index.ts';
import { selectDeliveryBodies, sendTestDelivery } from '../../../../src/engine/webhooks/deliveries/index.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
import { insertEndpoint } from './scene.ts';

const on = useEngine();
let projectId: string;
beforeAll(async () => {
  projectId = await createTestProject(on.engine);
});

const send = (endpointId: string, kind: (typeof lifecycleKinds)[number] = 'run.succeeded', project = projectId) =>
  sendTestDelivery(on.engine, { projectId: project, endpointId, kind, actor: 'a key' });

test.each(lifecycleKinds)('a test of %s has a body as a real one, and says that it is a test', async (kind) => {
  const endpointId = await insertEndpoint(on.engine, projectId, { app: 'shop', eventKinds: ['run.failed'] });
  const id = await send(endpointId, kind);
  const [subject, status] = kind.split('.');
  const [row] = await selectDeliveryBodies(on.db, { ids: [id] });
  const body = JSON.parse(row?.payload ?? '');
  expect(body).toMatchObject({ id, kind, test: true, run: { app: 'shop', triggerKind: 'event' } });
  expect(body.run.status).toBe(subject === 'run' ? status : 'running');
  expect(body.step?.status).toBe(subject === 'step' ? status : undefined);
  expect(Object.hasOwn(body.run, 'endedAt')).toBe(subject === 'run');
  const delivery = await on.db.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
  expect(delivery).toMatchObject({ endpointId, eventKind: kind, status: 'pending', isTest: true, runId: null });
  expect(body.ts).toBe(delivery.createdAt.toISOString());
  const work = await on.db.prisma.webhookWork.findUniqueOrThrow({ where: { deliveryId: id } });
  expect(work).toMatchObject({ lane: endpointId, attempts: 0, leaseId: null });
});

test('a disabled endpoint gets no test', async () => {
  const endpointId = await insertEndpoint(on.engine, projectId, { enabled: false });
  await expect(send(endpointId)).rejects.toMatchObject({ kind: 'conflict', message: 'webhook endpoint is disabled' });
  expect(await on.db.prisma.webhookDelivery.count({ where: { endpointId } })).toBe(0);
});

test('an unknown endpoint, and one of another project, is not found', async () => {
  const theirs = await insertEndpoint(on.engine, await createTestProject(on.engine));
  for (const id of [newId(), 'x', theirs])
    await expect(send(id)).rejects.toMatchObject({ kind: 'notFound', message: 'webhook endpoint not found' });
});

test('a test wakes the senders and is audited', async () => {
  const heard: string[] = [];
  const leave = on.engine.bus.on('delivery.due', () => heard.push('due'));
  const endpointId = await insertEndpoint(on.engine, projectId);
  const deliveryId = await send(endpointId, 'step.failed');
  leave();
  expect(heard).toEqual(['due']);
  const entry = await on.db.prisma.controlAction.findFirst({ orderBy: { id: 'desc' } });
  expect(entry).toMatchObject({
    action: 'send_test_webhook',
    actor: 'a key',
    detail: { endpointId, deliveryId, kind: 'step.failed' },
  });
});
