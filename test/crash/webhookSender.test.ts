import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Receiver } from '../workers/webhooks/receiver.ts';
import { useSite } from '../workers/webhooks/site.ts';
import { bundledService } from './bundledService.ts';

const dist = await bundledService();
const site = useSite();

/** A sender in a process of its own. */
function spawnSender(): ChildProcess {
  const file = fileURLToPath(new URL('webhookSender.mjs', import.meta.url));
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'], DIST: dist, DATABASE_URL: site.url },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function openHanging() {
  const held: ServerResponse[] = [];
  const receiver = await Receiver.open((_, response) => held.push(response));
  const arrived = (count: number, timeout = 20_000) =>
    vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(count), { timeout, interval: 20 });
  const answer = () => held.splice(0).map((response) => response.writeHead(204).end());
  return { receiver, arrived, answer };
}

const settled = (count: number) =>
  vi.waitFor(
    async () => expect(await site.db.prisma.webhookDelivery.count({ where: { status: 'succeeded' } })).toBe(count),
    { timeout: 20_000, interval: 20 },
  );

describe('a process that is killed with attempts in flight', () => {
  test.each(['a second process', 'its successor'])(
    'loses them to %s within ten seconds, each as the same attempt',
    async (other) => {
      const { receiver, arrived, answer } = await openHanging();
      const endpointId = await site.endpoint(receiver.url);
      const ids = await site.scene.deliveries(6, { endpointId });
      const dying = spawnSender();
      await arrived(6);
      if (other === 'a second process') {
        const second = site.sender();
        second.start();
      }
      dying.kill('SIGKILL');
      await once(dying, 'exit');
      const diedMs = performance.now();
      if (other === 'its successor') spawnSender();
      await arrived(12);
      expect(performance.now() - diedMs).toBeLessThan(10_000);
      answer();
      await settled(6);
      const sent = receiver.received.map(({ headers }) => headers['x-service-delivery']);
      expect(sent.slice(6).sort()).toEqual([...ids].sort());
      for (const id of ids) expect((await site.scene.attempts(id)).map(({ attempt }) => attempt)).toEqual([1]);
    },
  );

  test('is told by SIGTERM to end what it has begun, and leaves no lease', async () => {
    const { receiver, arrived, answer } = await openHanging();
    const endpointId = await site.endpoint(receiver.url);
    await site.scene.deliveries(15, { endpointId });
    const sender = spawnSender();
    await arrived(10);
    sender.kill('SIGTERM');
    const leases = () => site.db.prisma.webhookWork.count({ where: { leaseId: { not: null } } });
    await vi.waitFor(async () => expect(await leases()).toBe(10), { timeout: 5_000 });
    answer();
    const [code] = await once(sender, 'exit');
    expect(code).toBe(0);
    expect(await leases()).toBe(0);
    expect(await site.db.prisma.webhookDelivery.count({ where: { status: 'succeeded' } })).toBe(10);
    expect(receiver.received).toHaveLength(10);
  });
});
