import { expect, test } from 'vitest';
import { newId } from '../../../src/engine/ids.ts';
import type { LeasedDelivery } from '../../../src/engine/webhooks/queue/index.ts';
import { Leases } from '../../../src/workers/webhooks/leases.ts';

const limits = { ceiling: 2, requests: 10, leases: 10, total: 20, slowMs: 1_000 };

function delivery(claimNo: number, { lane, deliveryId }: { lane: string; deliveryId: string }): LeasedDelivery {
  const about = { projectId: newId(), app: 'default', endpointId: lane, url: 'https://example.com/' };
  const attempt = { eventKind: 'run.succeeded', scheme: 'service', attempt: 1, spent: 0, skip: undefined } as const;
  return { deliveryId, claimNo, lane, ...about, ...attempt };
}

test('a delivery that is leased anew before its last outcome is settled counts once', () => {
  const leases = new Leases(limits);
  const ids = { lane: newId(), deliveryId: newId() };
  const claims = [1, 2, 3].map((claimNo) => delivery(claimNo, ids));
  for (const each of claims) {
    leases.add([{ lane: ids.lane, failures: 0, hasMore: false, deliveries: [each] }]);
  }
  expect(leases.size).toBe(1);
  expect(leases.leaveOut()).toEqual([]);
  for (const each of claims) leases.drop(each);
  expect(leases.size).toBe(0);
  expect(leases.leaveOut()).toEqual([]);
});
