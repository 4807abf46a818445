import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import type { AttemptOutcome } from '../../../../src/engine/webhooks/deliveries/index.ts';
import { disableIfFailing, settleDeliveries } from '../../../../src/engine/webhooks/queue/index.ts';
import { planRetry } from '../../../../src/engine/webhooks/queue/retryPlan.ts';
import { useEngine } from '../../../support/engine.ts';
import { claim, ended, idsOf, leased, QueueScene, sceneClock, settle } from './scene.ts';

const clock = sceneClock();
const test_ = useEngine({ clock });
const dayMs = 86_400_000;

let scene: QueueScene;
let senderId: string;
beforeEach(async () => {
  await test_.db.query(
    'truncate webhook_work, webhook_lane, webhook_sender, webhook_delivery, webhook_endpoint, webhook_attempt, control_action',
  );
  scene = await QueueScene.open(test_.engine);
  senderId = newId();
});

/** Claims what is due, and settles all of it in the same way. */
async function attempt(how: Parameters<typeof ended>[1], more: Parameters<typeof ended>[2] = {}): Promise<void> {
  const claimed = leased(await claim(test_.engine, { senderId }));
  expect(claimed).not.toEqual([]);
  await settle(
    test_.engine,
    senderId,
    claimed.map((each) => ended(each, how, more)),
  );
}

describe('what follows from an attempt', () => {
  const backoffMs = [5_000, 300_000, 3_600_000, 21_600_000];
  const plan = (
    outcome: AttemptOutcome,
    statusCode?: number,
    more: { spent?: number; retryAfterMs?: number; random?: number } = {},
  ) =>
    planRetry(
      { outcome, statusCode, retryAfterMs: more.retryAfterMs },
      { spent: more.spent ?? 0, backoffMs, random: more.random ?? 0 },
    );

  test('is success after an answer of 2xx', () => {
    expect(plan('succeeded', 200)).toEqual({ status: 'succeeded', delayMs: undefined });
  });

  test.each([400, 401, 403, 404, 410, 422, 451])('is the end after an answer of %i', (status) => {
    expect(plan('http_error', status)).toEqual({ status: 'dead', delayMs: undefined });
  });

  test.each([300, 301, 302, 307, 308, 408, 409, 425, 429, 500, 502, 503, 504, 599])(
    'is a retry after an answer of %i',
    (status) => {
      expect(plan('http_error', status)).toEqual({ status: 'failed', delayMs: 5_000 });
    },
  );

  test.each(['timeout', 'connection_error'] as const)('is a retry after a %s', (outcome) => {
    expect(plan(outcome)).toEqual({ status: 'failed', delayMs: 5_000 });
  });

  test('is dead for a delivery that is skipped', () => {
    expect(plan('skipped')).toEqual({ status: 'dead', delayMs: undefined });
  });

  test('takes the delays of the table, and up to a tenth more', () => {
    const delays = [0, 1, 2, 3, 4].map((spent) => plan('timeout', undefined, { spent }).delayMs);
    expect(delays).toEqual([5_000, 300_000, 3_600_000, 21_600_000, undefined]);
    expect(plan('timeout', undefined, { spent: 4 }).status).toBe('exhausted');
    expect(plan('timeout', undefined, { random: 1 }).delayMs).toBeCloseTo(5_500);
  });

  test('honours Retry-After up to an hour, and not below a second', () => {
    const delay = (retryAfterMs: number, spent = 0) => plan('http_error', 503, { retryAfterMs, spent }).delayMs;
    expect([delay(120_000), delay(7_200_000), delay(0), delay(2_000, 3)]).toEqual([120_000, 3_600_000, 1_000, 2_000]);
  });
});

describe('settling an attempt', () => {
  test('records it, and ends the work of a delivery that succeeded', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    clock.advance(10);
    await attempt(204, {
      responseSnippet: 'ok',
      responseHeaders: '{"x":"y"}',
      requestHeaders: '{"a":"b"}',
      durationMs: 12,
    });
    expect(await scene.delivery(id)).toMatchObject({
      status: 'succeeded',
      attemptCount: 1,
      lastStatusCode: 204,
      nextAttemptAt: null,
    });
    expect(await scene.work(id)).toBeNull();
    expect(await test_.db.prisma.webhookAttempt.findFirst({ where: { deliveryId: id } })).toMatchObject({
      attempt: 1,
      outcome: 'succeeded',
      statusCode: 204,
      responseSnippet: 'ok',
      error: null,
      durationMs: 12,
      requestHeaders: { a: 'b' },
      responseHeaders: { x: 'y' },
      createdAt: clock.now(),
    });
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 0, failingSince: null, lastAttemptAt: clock.now() });
  });

  test('frees a failed delivery until its next attempt', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    await attempt(503, { retryAfterMs: 60_000 });
    const { status, nextAttemptAt } = await scene.delivery(id);
    const work = await scene.work(id);
    expect({ status, attempts: work?.attempts, leaseId: work?.leaseId }).toEqual({
      status: 'failed',
      attempts: 1,
      leaseId: null,
    });
    expect(work?.dueAt).toEqual(nextAttemptAt);
    const inMs = (nextAttemptAt?.getTime() ?? 0) - clock.now().getTime();
    expect(inMs).toBeGreaterThanOrEqual(60_000);
    expect(inMs).toBeLessThanOrEqual(66_000);
    clock.advance(inMs - 1);
    expect(idsOf(await claim(test_.engine, { senderId }))).toEqual([]);
    clock.advance(1);
    expect(leased(await claim(test_.engine, { senderId }))[0]).toMatchObject({
      deliveryId: id,
      attempt: 2,
      spent: 1,
      claimNo: 2,
    });
  });

  test('gives a delivery five attempts, and then it is exhausted', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const statuses: string[] = [];
    for (let each = 1; each <= 5; each += 1) {
      await attempt('timeout');
      statuses.push((await scene.delivery(id)).status);
      clock.advance(dayMs);
    }
    expect(statuses).toEqual(['failed', 'failed', 'failed', 'failed', 'exhausted']);
    expect((await scene.attempts(id)).map((each) => each.attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(await scene.work(id)).toBeNull();
  });

  test('numbers the attempts of a further budget on', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    await attempt(410);
    expect(await scene.delivery(id)).toMatchObject({ status: 'dead', lastStatusCode: 410 });
    await test_.db.query('insert into webhook_work (delivery_id, project_id, lane, due_at) values ($1, $2, $3, $4)', [
      id,
      scene.projectId,
      endpointId,
      clock.now(),
    ]);
    await attempt('connection_error');
    expect(await scene.attempts(id)).toEqual([
      { attempt: 1, outcome: 'http_error', statusCode: 410, error: null },
      { attempt: 2, outcome: 'connection_error', statusCode: null, error: 'connection_error of a test' },
    ]);
    expect(await scene.work(id)).toMatchObject({ attempts: 1 });
    expect((await scene.delivery(id)).lastStatusCode).toBeNull();
  });

  test('takes the outcomes of a lane in the order in which they ended', async () => {
    const endpointId = await scene.endpoint();
    await scene.deliveries(6, { endpointId });
    const [a, b, c, d, e, f] = leased(await claim(test_.engine, { senderId }));
    if (!a || !b || !c || !d || !e || !f) throw new Error('six were to be claimed');
    await settle(test_.engine, senderId, [ended(a, 500), ended(b, 500)]);
    const since = clock.now();
    clock.advance(1_000);
    await settle(test_.engine, senderId, [ended(c, 500)]);
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 3, failingSince: since });
    await settle(test_.engine, senderId, [ended(d, 500), ended(e, 200), ended(f, 'timeout')]);
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 1, failingSince: clock.now() });
  });

  test('of a skipped delivery says nothing about its endpoint', async () => {
    const endpointId = await scene.endpoint({ enabled: false });
    const [id = ''] = await scene.deliveries(1, { endpointId });
    await attempt('skipped', { error: 'the endpoint is disabled' });
    expect(await scene.delivery(id)).toMatchObject({ status: 'dead', attemptCount: 1, lastStatusCode: null });
    expect(await scene.attempts(id)).toEqual([
      { attempt: 1, outcome: 'skipped', statusCode: null, error: 'the endpoint is disabled' },
    ]);
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 0, lastAttemptAt: null });
  });

  test('leases what is due next in the same lane, if it is asked to', async () => {
    const endpointId = await scene.endpoint();
    await scene.deliveries(12, { endpointId });
    const claimed = leased(await claim(test_.engine, { senderId }));
    const attempts = claimed.slice(0, 4).map((each) => ended(each, 200));
    const settlement = await settleDeliveries(test_.engine, {
      senderId,
      attempts,
      hungry: new Set([endpointId]),
      room: 4,
      ahead: 0,
    });
    expect(idsOf({ lanes: settlement.claimed })).toHaveLength(2);
    expect(settlement).toMatchObject({ failures: new Map([[endpointId, 0]]), failing: [], nextInMs: undefined });
  });

  test('tells in how many ms a delivery is attempted again, and who follows', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [delivery] = leased(await claim(test_.engine, { senderId }));
    if (!delivery) throw new Error('one was to be claimed');
    const told: unknown[] = [];
    const stop = test_.engine.bus.on('delivery.changed', (each) => told.push(each));
    const { nextInMs } = await settle(test_.engine, senderId, [ended(delivery, 500)]);
    stop();
    expect(nextInMs).toBeGreaterThanOrEqual(5_000);
    expect(told).toEqual([{ projectId: scene.projectId, deliveryId: id }]);
  });
});

describe('an outcome whose lease has ended', () => {
  test.each([
    ['another sender', (id: string) => ({ leaseId: newId(), deliveryId: id })],
    ['nobody', (id: string) => ({ leaseId: null, deliveryId: id })],
  ])('changes nothing if %s holds the delivery', async (_, change) => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [delivery] = leased(await claim(test_.engine, { senderId }));
    if (!delivery) throw new Error('one was to be claimed');
    const { leaseId } = change(id);
    await test_.db.query('update webhook_work set lease_id = $2 where delivery_id = $1', [id, leaseId]);
    await settle(test_.engine, senderId, [ended(delivery, 200)]);
    expect(await scene.attempts(id)).toEqual([]);
    expect(await scene.delivery(id)).toMatchObject({ status: 'pending', attemptCount: 0 });
    expect(await scene.work(id)).toMatchObject({ leaseId });
  });

  test('changes nothing if the same sender claimed it anew', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [first] = leased(await claim(test_.engine, { senderId }));
    await test_.db.query('update webhook_work set lease_id = null');
    const [second] = leased(await claim(test_.engine, { senderId }));
    if (!first || !second) throw new Error('it was to be claimed twice');
    await settle(test_.engine, senderId, [ended(first, 500)]);
    expect(await scene.attempts(id)).toEqual([]);
    await settle(test_.engine, senderId, [ended(second, 200)]);
    await settle(test_.engine, senderId, [ended(second, 200)]);
    expect(await scene.attempts(id)).toHaveLength(1);
  });
});

describe('an endpoint that has failed for five days', () => {
  const fiveDaysMs = 5 * dayMs;

  async function failTwice(gapMs: number) {
    const endpointId = await scene.endpoint();
    await scene.deliveries(1, { endpointId });
    const since = clock.now();
    await attempt(500);
    clock.advance(gapMs);
    const [delivery] = leased(await claim(test_.engine, { senderId }));
    if (!delivery) throw new Error('one was to be claimed');
    const { failing } = await settle(test_.engine, senderId, [ended(delivery, 500)]);
    return { endpointId, failing, since };
  }

  test('is disabled once, with an entry in the audit log', async () => {
    const { endpointId, failing, since } = await failTwice(fiveDaysMs);
    const [named] = failing;
    expect(failing).toEqual([{ projectId: scene.projectId, endpointId }]);
    if (!named) throw new Error('it was to be named');
    const changed: unknown[] = [];
    const stop = test_.engine.bus.on('registry.changed', (each) => changed.push(each));
    const version = async () =>
      (await test_.db.prisma.project.findUniqueOrThrow({ where: { id: scene.projectId } })).registryVersion;
    const before = await version();
    const both = await Promise.all([disableIfFailing(test_.engine, named), disableIfFailing(test_.engine, named)]);
    stop();
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await test_.db.prisma.webhookEndpoint.findUnique({ where: { id: endpointId } })).toMatchObject({
      enabled: false,
      disabledAt: clock.now(),
    });
    expect(await version()).toBe(before + 1n);
    expect(changed).toEqual([{ projectId: scene.projectId }]);
    expect(await test_.db.prisma.controlAction.findMany()).toMatchObject([
      {
        action: 'disable_webhook_endpoint',
        actor: 'system:webhooks',
        detail: { endpointId, failures: 2, failingSince: since.toISOString() },
      },
    ]);
  });

  test('is not named a moment earlier', async () => {
    expect((await failTwice(fiveDaysMs - 1)).failing).toEqual([]);
  });

  test('stays enabled if a success or a person came between', async () => {
    const { endpointId } = await failTwice(fiveDaysMs);
    await test_.db.query('update webhook_lane set failures = 0, failing_since = null');
    expect(await disableIfFailing(test_.engine, { projectId: scene.projectId, endpointId })).toBe(false);
    expect(await test_.db.prisma.webhookEndpoint.findUnique({ where: { id: endpointId } })).toMatchObject({
      enabled: true,
    });
  });
});
