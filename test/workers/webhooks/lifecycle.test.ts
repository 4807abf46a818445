import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { newId } from '../../../src/engine/ids.ts';
import { redeliverDelivery } from '../../../src/engine/webhooks/deliveries/index.ts';
import type { WebhookSender } from '../../../src/workers/webhooks/index.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { Receiver } from './receiver.ts';
import { useSite } from './site.ts';

const site = useSite({ webhookTimeoutMs: 2_000, webhookBackoffMs: [40, 40] });

/** A receiver that holds its answers back, and lets tests wait for requests. */
async function openHeld() {
  const held: ServerResponse[] = [];
  let most = 0;
  const receiver = await Receiver.open((_, response) => {
    held.push(response);
    most = Math.max(most, held.length);
  });
  const arrived = (count: number) =>
    vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(count), { timeout: 5_000, interval: 5 });
  const answer = (status = 204) => {
    for (const response of held.splice(0)) response.writeHead(status).end();
  };
  return { receiver, arrived, answer, most: () => most, held };
}

const settled = (status: string, count: number) =>
  vi.waitFor(async () => expect(await site.db.prisma.webhookDelivery.count({ where: { status } })).toBe(count), {
    timeout: 8_000,
    interval: 10,
  });

/** An engine over the same database, whose statements a test may change. */
const engineOver = (db: Database) => createEngine({ db, log: site.engine.log, settings: site.engine.settings });

/** Statements of the queue that a sender sends. */
function spyOnStatements(): () => string[] {
  const names: string[] = [];
  const spy = vi.spyOn(site.db, 'query').mockImplementation(((config: { name?: string }, ...rest: unknown[]) => {
    if (config.name) names.push(config.name);
    return Reflect.apply(site.db.pool.query, site.db.pool, [config, ...rest]);
  }) as Database['query']);
  onTestFinished(() => spy.mockRestore());
  return () => names.splice(0);
}

const frame = (payload: object) => ({
  seq: 1,
  kind: 'run_status' as const,
  ts: new Date(),
  payload: JSON.stringify(payload),
});

function started(sender: WebhookSender): WebhookSender {
  sender.start();
  return sender;
}

describe('a hint', () => {
  test.each(['delivery.due', 'run.frames', 'run.moved'] as const)(
    '%s starts an attempt, long before a poll',
    async (hint) => {
      const receiver = await Receiver.open();
      const endpointId = await site.endpoint(receiver.url);
      const names = spyOnStatements();
      started(site.sender());
      await vi.waitFor(() => expect(names()).toContain('lookAtQueue'));
      await site.scene.deliveries(1, { endpointId });
      const { bus } = site.engine;
      const run = { projectId: site.scene.projectId, runId: newId(), app: 'default', workflow: 'flow' };
      if (hint === 'delivery.due') bus.emit(hint, {});
      if (hint === 'run.moved') bus.emit(hint, { runs: [run] });
      if (hint === 'run.frames') bus.emit(hint, { ...run, frames: [frame({ status: 'succeeded' })] });
      await settled('succeeded', 1);
    },
  );

  test('asks nothing of the database if the project has no endpoint, or if nothing has ended', async () => {
    await site.endpoint('https://example.com/');
    const names = spyOnStatements();
    started(site.sender());
    await vi.waitFor(() => expect(names()).toEqual(['lookAtQueue']));
    const { bus } = site.engine;
    const run = { runId: newId(), app: 'default', workflow: 'flow' };
    const { projectId } = site.scene;
    bus.emit('run.frames', { ...run, projectId, frames: [frame({ status: 'running' })] });
    bus.emit('run.frames', { ...run, projectId: newId(), frames: [frame({ status: 'succeeded' })] });
    bus.emit('run.moved', { runs: [{ ...run, projectId: newId() }] });
    // A hint that counts, to see that the others asked nothing before.
    bus.emit('delivery.due', {});
    await vi.waitFor(() => expect(names()).toEqual(['lookAtQueue']));
  });

  test('counts if the endpoint is created while the sender reads which projects have one', async () => {
    const receiver = await Receiver.open();
    let endpointId = '';
    const { projectId } = site.scene;
    const looks: string[] = [];
    const query = (async (config: { name?: string }, ...rest: unknown[]) => {
      const answer = await Reflect.apply(site.db.pool.query, site.db.pool, [config, ...rest]);
      if (config.name !== 'lookAtQueue') return answer;
      if (looks.length === 0) {
        endpointId = await site.endpoint(receiver.url);
        engine.bus.emit('registry.changed', { projectId });
      }
      looks.push(config.name);
      return answer;
    }) as Database['query'];
    const engine = engineOver({ ...site.db, query });
    started(site.sender({}, engine));
    await vi.waitFor(() => expect(looks).toHaveLength(2));
    await site.scene.deliveries(1, { endpointId });
    engine.bus.emit('run.moved', { runs: [{ projectId, runId: newId(), app: 'default', workflow: 'flow' }] });
    await settled('succeeded', 1);
  });

  test('is needed by no retry: the sender knows when it is due', async () => {
    const receiver = await Receiver.open((_, response) =>
      response.writeHead(receiver.received.length < 3 ? 500 : 204).end(),
    );
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    started(site.sender());
    await settled('succeeded', 1);
    expect((await site.scene.attempts(id)).map(({ statusCode }) => statusCode)).toEqual([500, 500, 204]);
  });
});

describe('an idle sender', () => {
  test('does not beat, and looks only at its polls', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url);
    await site.scene.deliveries(1, { endpointId });
    const names = spyOnStatements();
    started(site.sender({ pollMs: 40, beatMs: 10 }));
    await settled('succeeded', 1);
    names();
    const seen: string[] = [];
    await vi.waitFor(() => {
      seen.push(...names());
      expect(seen.length).toBeGreaterThan(3);
    });
    // A beat may have been under way when the last lease ended.
    expect(new Set(seen.slice(2))).toEqual(new Set(['lookAtQueue']));
  });
});

describe('endpoints', () => {
  test('have at most ten requests in flight, from two senders together', async () => {
    const { receiver, arrived, answer, most } = await openHeld();
    const endpointId = await site.endpoint(receiver.url);
    await site.scene.deliveries(40, { endpointId });
    const [one, two] = [started(site.sender()), started(site.sender())];
    for (let count = 10; count <= 40; count += 10) {
      await arrived(count);
      answer();
    }
    await settled('succeeded', 40);
    expect(most()).toBeLessThanOrEqual(10);
    expect(one.stats().leases + two.stats().leases).toBe(0);
  });

  test('that hang do not delay another, even if they are many', async () => {
    const { receiver: hanging, arrived, answer } = await openHeld();
    const receiver = await Receiver.open();
    for (let n = 0; n < 8; n += 1) {
      const endpointId = await site.endpoint(`${hanging.url}?${n}`);
      await site.scene.deliveries(30, { endpointId });
    }
    started(site.sender({ requests: 16, leases: 32, total: 1_000, slowMs: 30 }));
    await arrived(16);
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    site.engine.bus.emit('delivery.due', {});
    await vi.waitFor(async () => expect((await site.scene.delivery(id)).status).toBe('succeeded'), {
      timeout: 1_500,
      interval: 5,
    });
    answer();
  });
});

test('endpoints that hang with large bodies leave memory for those of others', async () => {
  const { receiver: hanging, arrived, answer } = await openHeld();
  const receiver = await Receiver.open();
  await site.scene.deliveries(10, { endpointId: await site.endpoint(hanging.url) });
  const sender = started(site.sender({ bodyBytes: 70, totalBodyBytes: 140, slowMs: 30 }));
  await arrived(10);
  expect(sender.stats().bodyBytes).toBe(70);
  const [id = ''] = await site.scene.deliveries(1, { endpointId: await site.endpoint(receiver.url) });
  site.engine.bus.emit('delivery.due', {});
  await vi.waitFor(async () => expect((await site.scene.delivery(id)).status).toBe('succeeded'), {
    timeout: 1_000,
    interval: 5,
  });
  answer();
});

describe('a sender that stops', () => {
  test('lets requests under way end, releases the others at once, and claims no more', async () => {
    const { receiver, arrived, answer } = await openHeld();
    const [endpointId, other] = [await site.endpoint(receiver.url), await site.endpoint(`${receiver.url}?other`)];
    await site.scene.deliveries(4, { endpointId });
    await site.scene.deliveries(3, { endpointId: other });
    const sender = started(site.sender({ requests: 5 }));
    await arrived(5);
    const stopped = sender.stop();
    const leases = () => site.db.prisma.webhookWork.count({ where: { leaseId: { not: null } } });
    await vi.waitFor(async () => expect(await leases()).toBe(5));
    site.engine.bus.emit('delivery.due', {});
    answer();
    await stopped;
    await sender.stop();
    expect(receiver.received).toHaveLength(5);
    expect(await site.db.prisma.webhookDelivery.count({ where: { status: 'succeeded' } })).toBe(5);
    expect(await leases()).toBe(0);
    expect(await site.db.prisma.webhookSender.count()).toBe(0);
  });

  test('abandons requests that take too long, and leaves them to others', async () => {
    const { receiver, arrived } = await openHeld();
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    const sender = started(site.sender({ drainMs: 50 }));
    await arrived(1);
    await sender.stop();
    expect(await site.scene.attempts(id)).toEqual([]);
    expect(await site.scene.work(id)).toMatchObject({ leaseId: null, attempts: 0 });
  });

  test('gives up a request at its time limit', async () => {
    const { receiver, arrived } = await openHeld();
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    const sender = started(site.sender());
    await arrived(1);
    await sender.stop();
    expect(await site.attemptOf(id)).toMatchObject({ outcome: 'timeout' });
    expect(await site.scene.work(id)).toMatchObject({ leaseId: null, attempts: 1 });
  });
});

describe('a sender that others found dead', () => {
  test('registers anew, and its outcomes from before change nothing', async () => {
    const { receiver, arrived, answer } = await openHeld();
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    const sender = started(site.sender({ beatMs: 20 }));
    await arrived(1);
    await site.db.query('with gone as (delete from webhook_sender) update webhook_work set lease_id = null');
    // It notices at its next beat, and attempts the delivery again.
    await arrived(2);
    answer();
    await settled('succeeded', 1);
    await sender.idle();
    expect(await site.scene.attempts(id)).toEqual([{ attempt: 1, outcome: 'succeeded', statusCode: 204, error: null }]);
    expect(await site.scene.work(id)).toBeNull();
  });
});

describe('a sender whose leases end while it reads a secret', () => {
  test('does not begin the request', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    let reads = 0;
    const query = (async (config: { name?: string }, ...rest: unknown[]) => {
      reads += config.name === 'findSealedSecrets' ? 1 : 0;
      if (config.name === 'findSealedSecrets' && reads === 1) {
        await site.db.query('with gone as (delete from webhook_sender) update webhook_work set lease_id = null');
        await vi.waitFor(() => expect(sender.stats()).toMatchObject({ leases: 0 }), { timeout: 5_000, interval: 1 });
      }
      return Reflect.apply(site.db.pool.query, site.db.pool, [config, ...rest]);
    }) as Database['query'];
    const sender = site.sender({ beatMs: 20 }, engineOver({ ...site.db, query }));
    started(sender);
    await settled('succeeded', 1);
    await sender.idle();
    expect(receiver.received).toHaveLength(1);
    expect(await site.scene.attempts(id)).toHaveLength(1);
  });
});

describe('a database that does not answer', () => {
  test.each(['lookAtQueue', 'selectDeliveryBodies', 'settleAttempts', 'findSealedSecrets'])(
    'at %s delays a delivery, and does not lose it',
    async (name) => {
      const receiver = await Receiver.open();
      const endpointId = await site.endpoint(receiver.url);
      const [id = ''] = await site.scene.deliveries(1, { endpointId });
      started(site.sender({}, engineOver(refusingOnce(site.db, name))));
      await settled('succeeded', 1);
      expect(await site.scene.attempts(id)).toHaveLength(1);
    },
  );

  test('after a claim leaves leases that the sender frees, and claims again', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url);
    await site.scene.deliveries(3, { endpointId });
    let lost = 0;
    const losing: Database['transaction'] = async (work) => {
      const done = await site.db.transaction(work);
      lost += 1;
      if (lost === 1) throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' });
      return done;
    };
    started(site.sender({}, engineOver({ ...site.db, transaction: losing })));
    await settled('succeeded', 3);
    expect(receiver.received).toHaveLength(3);
  });

  test('after an outcome does not take it for that of a redelivery', async () => {
    const receiver = await Receiver.open((_, response) =>
      response.writeHead(receiver.received.length === 1 ? 204 : 410).end(),
    );
    const endpointId = await site.endpoint(receiver.url);
    const [deliveryId = ''] = await site.scene.deliveries(1, { endpointId });
    let settlements = 0;
    const query = (async (config: { name?: string }, ...rest: unknown[]) => {
      const answer = await Reflect.apply(site.db.pool.query, site.db.pool, [config, ...rest]);
      settlements += config.name === 'settleAttempts' ? 1 : 0;
      if (config.name !== 'settleAttempts' || settlements > 1) return answer;
      await redeliverDelivery(site.engine, { projectId: site.scene.projectId, deliveryId, actor: undefined });
      engine.bus.emit('delivery.due', {});
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' });
    }) as Database['query'];
    // The claim of the redelivery is answered when the outcome is about to be settled again.
    const transaction: Database['transaction'] = async (work) => {
      const done = await site.db.transaction(work);
      if (settlements === 1) await new Promise((resolve) => setTimeout(resolve, 150));
      return done;
    };
    const engine = engineOver({ ...site.db, query, transaction });
    const sender = started(site.sender({}, engine));
    await settled('dead', 1);
    await sender.idle();
    expect(receiver.received).toHaveLength(2);
    const statusCodes = (await site.scene.attempts(deliveryId)).map(({ statusCode }) => statusCode);
    expect(statusCodes).toEqual([204, 410]);
  });

  test('because of a text of the receiver takes the outcome without it', async () => {
    const receiver = await Receiver.open((_, response) => response.writeHead(200).end('text'));
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    const query = ((config: { name?: string; values?: unknown[] }, ...rest: unknown[]) => {
      if (config.name === 'settleAttempts' && JSON.stringify(config.values).includes('text'))
        return Promise.reject(Object.assign(new Error('invalid byte sequence'), { code: '22021' }));
      return Reflect.apply(site.db.pool.query, site.db.pool, [config, ...rest]);
    }) as Database['query'];
    started(site.sender({}, engineOver({ ...site.db, query })));
    await settled('succeeded', 1);
    expect(await site.attemptOf(id)).toMatchObject({ outcome: 'succeeded', statusCode: 200, responseSnippet: null });
  });
});
