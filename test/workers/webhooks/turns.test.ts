import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/engine/db/database.ts';
import { newId } from '../../../src/engine/ids.ts';
import { Receiver } from './receiver.ts';
import { useSite } from './site.ts';

const site = useSite({ webhookTimeoutMs: 500 });

/** Counts the transactions of the sender: each is a claim, or a settlement with further leases. */
function countTransactions(): () => number {
  const transaction = site.db.transaction.bind(site.db);
  const spy = vi
    .spyOn(site.db, 'transaction')
    .mockImplementation(((work) => transaction(work)) as Database['transaction']);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

/** Endpoints that are probed by one attempt at a time, with two due deliveries each. */
async function probed(count: number, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const endpointId = await site.endpoint(`${url}?${n}`);
    ids.push(endpointId);
    await site.scene.deliveries(2, { endpointId });
    await site.db.query(
      'insert into webhook_lane (id, project_id, failures, failing_since) values ($1, $2, 9, now())',
      [endpointId, site.scene.projectId],
    );
  }
  return ids;
}

describe('many endpoints that are probed', () => {
  test.each(['by this sender', 'by another'])('%s cost no claims while their probes are under way', async (who) => {
    const receiver = await Receiver.open(() => undefined);
    const ids = await probed(6, receiver.url);
    if (who === 'by another') {
      const other = newId();
      await site.db.query('insert into webhook_sender (id, heartbeat_at) values ($1, now())', [other]);
      await site.db.query(
        `update webhook_work set lease_id = $1 where delivery_id in
           (select distinct on (lane) delivery_id from webhook_work where lane = any($2))`,
        [other, ids],
      );
    }
    const transactions = countTransactions();
    // The room of a claim is less than the number of these endpoints.
    const leases = who === 'by another' ? 4 : 8;
    await site.sender({ leases, total: leases }).runOnce();
    expect(transactions()).toBeLessThan(20);
  });
});

describe('an endpoint that answers well and has a backlog', () => {
  test('leaves memory to another endpoint, also where its own bodies are large', async () => {
    const order: string[] = [];
    const receiver = await Receiver.open((request, response) => {
      order.push(request.url ?? '');
      response.writeHead(204).end();
    });
    await site.scene.deliveries(6, { endpointId: await site.endpoint(`${receiver.url}?large`) });
    await site.db.query('update webhook_delivery set payload = $1', [JSON.stringify('x'.repeat(300_000))]);
    await site.scene.deliveries(1, { endpointId: await site.endpoint(`${receiver.url}?small`) });
    await site.sender({ bodyBytes: 100_000 }).runOnce();
    expect(order).toHaveLength(7);
    expect(order.indexOf('/hook?small')).toBeLessThan(3);
  });

  test('leaves leases to another endpoint, also where its own would take all', async () => {
    const other = await Receiver.open();
    const receiver = await Receiver.open(async (_, response) => {
      if (receiver.received.length === 30) {
        await site.scene.deliveries(1, { endpointId: await site.endpoint(other.url) });
        site.engine.bus.emit('delivery.due', {});
      }
      response.writeHead(204).end();
    });
    await site.scene.deliveries(400, { endpointId: await site.endpoint(receiver.url) });
    const sender = site.sender({ leases: 20, total: 20 });
    sender.start();
    await vi.waitFor(() => expect(other.received).toHaveLength(1), { timeout: 10_000, interval: 5 });
    expect(receiver.received.length).toBeLessThan(300);
  });
});
