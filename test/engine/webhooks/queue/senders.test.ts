import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { redeliverDelivery } from '../../../../src/engine/webhooks/deliveries/index.ts';
import {
  releaseLeases,
  releaseStrays,
  rescueDeliveries,
  retireSender,
  settleDeliveries,
  tickSender,
  Vigil,
  viewQueue,
} from '../../../../src/engine/webhooks/queue/index.ts';
import { useEngine } from '../../../support/engine.ts';
import { meet } from '../../../support/meeting.ts';
import { claim, ended, idsOf, leased, QueueScene, sceneClock, settle } from './scene.ts';

const clock = sceneClock();
const test_ = useEngine({ clock });

let scene: QueueScene;
let endpointId: string;
const [one, two] = [newId(), newId()];
beforeEach(async () => {
  await test_.db.query(
    'truncate webhook_work, webhook_lane, webhook_sender, webhook_delivery, webhook_endpoint, webhook_attempt',
  );
  scene = await QueueScene.open(test_.engine);
  endpointId = await scene.endpoint();
});

/** Looks every 2.5 s, until the sender may judge. Returns the ms that this took. */
async function watch(senderId: string, { beats = false, limitMs = 60_000 } = {}): Promise<number> {
  const vigil = new Vigil();
  for (let ms = 0; ms <= limitMs; ms += 2_500) {
    const { mayRescue } = await tickSender(test_.engine, { senderId, beats, vigil });
    if (mayRescue) return ms;
    clock.advance(2_500);
  }
  return limitMs;
}

describe('a sender that dies', () => {
  test('loses its leases to another within ten seconds, and no attempt is recorded', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    expect(await watch(two)).toBeLessThan(10_000);
    expect(await rescueDeliveries(test_.engine, two)).toBe(1);
    expect(await scene.attempts(id)).toEqual([]);
    expect(leased(await claim(test_.engine, { senderId: two }))[0]).toMatchObject({
      deliveryId: id,
      attempt: 1,
      spent: 0,
      claimNo: 2,
    });
  });

  test('is found by its successor, which has no leases yet', async () => {
    await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    clock.advance(500);
    expect(await viewQueue(test_.engine, { senderId: two, listsProjects: false })).toMatchObject({
      isDue: false,
      hasOthers: true,
    });
    expect(await watch(two)).toBeLessThan(10_000);
  });

  test('keeps its leases while it beats', async () => {
    await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    const vigil = new Vigil();
    for (let beat = 0; beat < 20; beat += 1) {
      clock.advance(2_500);
      await tickSender(test_.engine, { senderId: one, beats: true, vigil: new Vigil() });
      expect(await tickSender(test_.engine, { senderId: two, beats: false, vigil })).toMatchObject({
        mayRescue: false,
        hasOthers: true,
      });
    }
    expect(await rescueDeliveries(test_.engine, two)).toBe(0);
  });

  test('learns that it was found dead, and its outcomes change nothing', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [delivery] = leased(await claim(test_.engine, { senderId: one }));
    if (!delivery) throw new Error('one was to be claimed');
    await watch(two);
    await rescueDeliveries(test_.engine, two);
    expect(await tickSender(test_.engine, { senderId: one, beats: true, vigil: new Vigil() })).toMatchObject({
      isAlive: false,
    });
    expect(await claim(test_.engine, { senderId: one, registers: false })).toMatchObject({ isAlive: false });
    await settle(test_.engine, one, [ended(delivery, 200)]);
    expect(await scene.attempts(id)).toEqual([]);
    expect(idsOf(await claim(test_.engine, { senderId: newId() }))).toEqual([id]);
  });
});

describe('after an outage of the database', () => {
  test('nobody is found dead before all could beat again', async () => {
    await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    const vigil = new Vigil();
    const look = () => tickSender(test_.engine, { senderId: two, beats: false, vigil });
    for (let beat = 0; beat < 4; beat += 1) {
      clock.advance(2_500);
      await tickSender(test_.engine, { senderId: one, beats: true, vigil: new Vigil() });
      await look();
    }
    clock.advance(30_000);
    expect(await look()).toMatchObject({ hasSilent: true, mayRescue: false });
    clock.advance(2_500);
    expect(await look()).toMatchObject({ mayRescue: false });
    await tickSender(test_.engine, { senderId: one, beats: true, vigil: new Vigil() });
    clock.advance(2_500);
    expect(await look()).toMatchObject({ hasSilent: false, mayRescue: false });
  });

  test('a heartbeat from before the clock went back counts as of now', async () => {
    await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    clock.advance(-3_600_000);
    expect(await watch(two)).toBeLessThan(12_500);
    clock.advance(3_600_000);
  });
});

describe('a lease that is being written', () => {
  test('is found by the rescue that comes after it', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    await scene.deliveries(1, { endpointId });
    clock.advance(20_000);
    let freed = -1;
    await meet(test_.db, {
      at: 'transaction:before',
      first: () => claim(test_.engine, { senderId: one, registers: false }),
      second: async () => {
        freed = await rescueDeliveries(test_.engine, two);
      },
    });
    // The sender was held by its claim, so the first rescue left it alone.
    expect(freed).toBe(0);
    expect(await rescueDeliveries(test_.engine, two)).toBe(2);
    expect(await scene.work(id)).toMatchObject({ leaseId: null });
  });

  test('is not written once the rescue has locked the sender', async () => {
    await scene.deliveries(1, { endpointId });
    await claim(test_.engine, { senderId: one });
    await scene.deliveries(1, { endpointId });
    clock.advance(20_000);
    let claimed: Awaited<ReturnType<typeof claim>> | undefined;
    await meet(test_.db, {
      at: 'freeSenders:before',
      first: () => rescueDeliveries(test_.engine, two),
      second: async () => {
        claimed = await claim(test_.engine, { senderId: one, registers: false });
      },
    });
    expect(claimed).toMatchObject({ isAlive: false });
    expect(await test_.db.prisma.webhookWork.count({ where: { leaseId: { not: null } } })).toBe(0);
  });
});

describe('two connections', () => {
  test('that claim at once keep the ceiling, whichever comes first', async () => {
    await scene.deliveries(25, { endpointId });
    // The lane exists from the first claim on.
    await settle(
      test_.engine,
      one,
      leased(await claim(test_.engine, { senderId: one, room: 1 })).map((each) => ended(each, 200)),
    );
    let second: Awaited<ReturnType<typeof claim>> | undefined;
    await meet(test_.db, {
      at: 'leaseDeliveries:after',
      first: () => claim(test_.engine, { senderId: one, room: 7 }),
      second: async () => {
        second = await claim(test_.engine, { senderId: two });
      },
    });
    // The lane was locked, so it is to be tried again soon.
    expect(second).toMatchObject({ lanes: [], isContended: true, hasMore: true });
    expect(idsOf(await claim(test_.engine, { senderId: two }))).toHaveLength(3);
  });

  test('that make the row of a lane at once keep the ceiling', async () => {
    await scene.deliveries(25, { endpointId });
    let second: Awaited<ReturnType<typeof claim>> | undefined;
    await meet(test_.db, {
      at: 'leaseDeliveries:after',
      first: () => claim(test_.engine, { senderId: one, room: 7 }),
      second: async () => {
        second = await claim(test_.engine, { senderId: two });
      },
    });
    expect(leased(second ?? { lanes: [] }).length).toBeLessThanOrEqual(3);
    expect(await test_.db.prisma.webhookWork.count({ where: { leaseId: { not: null } } })).toBeLessThanOrEqual(10);
  });

  test('that settle and claim at once keep the ceiling', async () => {
    await scene.deliveries(25, { endpointId });
    const claimed = leased(await claim(test_.engine, { senderId: one }));
    await meet(test_.db, {
      at: 'settleAttempts:after',
      first: () =>
        settleDeliveries(test_.engine, {
          senderId: one,
          attempts: claimed.slice(0, 4).map((each) => ended(each, 200)),
          hungry: new Set([endpointId]),
          room: 10,
          ahead: 0,
        }),
      second: () => claim(test_.engine, { senderId: two }),
    });
    expect(await test_.db.prisma.webhookWork.count({ where: { leaseId: { not: null } } })).toBe(10);
  });

  test('that settle attempts of the same lanes count all failures, in both orders', async () => {
    const other = await scene.endpoint();
    for (const each of [endpointId, other]) await scene.deliveries(4, { endpointId: each });
    const first = leased(await claim(test_.engine, { senderId: one, room: 4 }));
    const second = leased(await claim(test_.engine, { senderId: two, room: 4 }));
    expect([first.length, second.length]).toEqual([4, 4]);
    for (const [a, b] of [
      [first.slice(0, 2), second.slice(0, 2).toReversed()],
      [first.slice(2).toReversed(), second.slice(2)],
    ] as const) {
      await meet(test_.db, {
        at: 'leaseDeliveries:after',
        first: () =>
          settleDeliveries(test_.engine, {
            senderId: one,
            attempts: a.map((each) => ended(each, 500)),
            hungry: new Set([endpointId, other]),
            room: 1,
            ahead: 0,
          }),
        second: () =>
          settle(
            test_.engine,
            two,
            b.map((each) => ended(each, 500)),
          ),
      });
    }
    expect([(await scene.lane(endpointId))?.failures, (await scene.lane(other))?.failures]).toEqual([4, 4]);
  });

  test.each(['rescue', 'outcome'] as const)(
    'that rescue and settle at once, the %s first: only one of them changes anything',
    async (first) => {
      const [id = ''] = await scene.deliveries(1, { endpointId });
      const [delivery] = leased(await claim(test_.engine, { senderId: one }));
      if (!delivery) throw new Error('one was to be claimed');
      clock.advance(20_000);
      const rescue = () => rescueDeliveries(test_.engine, two);
      const outcome = () =>
        settleDeliveries(test_.engine, {
          senderId: one,
          attempts: [ended(delivery, 200)],
          hungry: new Set([endpointId]),
          room: 1,
          ahead: 0,
        });
      await (first === 'rescue'
        ? meet(test_.db, { at: 'freeSenders:after', first: rescue, second: outcome })
        : meet(test_.db, { at: 'settleAttempts:after', first: outcome, second: rescue }));
      // The outcome locks the work before its sender, the rescue the other way round. So they may
      // deadlock. The one that PostgreSQL stops is tried again, and is then the second.
      const attempts = await scene.attempts(id);
      const isRescued = first === 'rescue' || attempts.length === 0;
      expect(attempts).toHaveLength(isRescued ? 0 : 1);
      expect(await scene.delivery(id)).toMatchObject({ status: isRescued ? 'pending' : 'succeeded' });
      expect(await test_.db.prisma.webhookWork.count()).toBe(isRescued ? 1 : 0);
    },
  );
});

describe('a redelivery', () => {
  const redeliver = (deliveryId: string) =>
    redeliverDelivery(test_.engine, { projectId: scene.projectId, deliveryId, actor: 'test' });
  const outcomeOf = (delivery: ReturnType<typeof leased>[number], status: number) =>
    settleDeliveries(test_.engine, {
      senderId: one,
      attempts: [ended(delivery, status)],
      hungry: new Set([endpointId]),
      room: 1,
      ahead: 0,
    });

  test('that waits for an outcome makes a further attempt of what has just ended', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [delivery] = leased(await claim(test_.engine, { senderId: one }));
    if (!delivery) throw new Error('one was to be claimed');
    await meet(test_.db, {
      at: 'settleAttempts:after',
      first: () => outcomeOf(delivery, 410),
      second: () => redeliver(id),
    });
    expect(await scene.delivery(id)).toMatchObject({ status: 'pending', attemptCount: 1 });
    expect(await scene.work(id)).toMatchObject({ leaseId: null, attempts: 0 });
    const [again] = leased(await claim(test_.engine, { senderId: two }));
    expect(again).toMatchObject({ deliveryId: id, attempt: 2, spent: 0 });
  });

  test('before an outcome is refused, as the attempt is in flight', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [delivery] = leased(await claim(test_.engine, { senderId: one }));
    if (!delivery) throw new Error('one was to be claimed');
    let refused: unknown;
    await meet(test_.db, {
      at: 'settleAttempts:before',
      first: () => outcomeOf(delivery, 500),
      second: () => redeliver(id).catch((error: unknown) => (refused = error)),
    });
    expect(refused).toMatchObject({ kind: 'conflict', message: 'webhook delivery is in flight' });
    expect(await scene.delivery(id)).toMatchObject({ status: 'failed', attemptCount: 1 });
  });

  test('of a failed delivery is attempted at once, with a new budget', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const [delivery] = leased(await claim(test_.engine, { senderId: one }));
    if (!delivery) throw new Error('one was to be claimed');
    await settle(test_.engine, one, [ended(delivery, 500)]);
    await redeliver(id);
    expect(leased(await claim(test_.engine, { senderId: one }))[0]).toMatchObject({
      deliveryId: id,
      attempt: 2,
      spent: 0,
    });
  });
});

describe('leases without a use', () => {
  test('are released as they were due', async () => {
    const [id = ''] = await scene.deliveries(2, { endpointId });
    const claimed = leased(await claim(test_.engine, { senderId: one }));
    await releaseLeases(test_.engine, { senderId: one, leases: claimed.slice(0, 1) });
    expect(await scene.work(id)).toMatchObject({ leaseId: null, attempts: 0 });
    await releaseLeases(test_.engine, { senderId: one, leases: claimed.slice(0, 1) });
    expect(idsOf(await claim(test_.engine, { senderId: two }))).toEqual([id]);
  });

  test('whose claim was not answered are found by their sender', async () => {
    await scene.deliveries(3, { endpointId });
    const known = leased(await claim(test_.engine, { senderId: one })).slice(0, 1);
    expect(await releaseStrays(test_.engine, { senderId: one, known })).toBe(2);
    expect(await scene.work(known[0]?.deliveryId ?? '')).toMatchObject({ leaseId: one });
    expect(await releaseStrays(test_.engine, { senderId: one, known: [] })).toBe(1);
  });

  test('are found also if the sender knows a former lease of the same delivery', async () => {
    const [id = ''] = await scene.deliveries(1, { endpointId });
    const known = leased(await claim(test_.engine, { senderId: one }));
    // Neither the outcome nor the next claim was answered.
    await settle(
      test_.engine,
      one,
      known.map((delivery) => ended(delivery, 500)),
    );
    await test_.db.query("update webhook_work set due_at = now() - interval '1 day' where delivery_id = $1", [id]);
    await test_.db.query('update webhook_work set lease_id = $2, claim_no = claim_no + 1 where delivery_id = $1', [
      id,
      one,
    ]);
    expect(await releaseStrays(test_.engine, { senderId: one, known })).toBe(1);
    expect(await scene.work(id)).toMatchObject({ leaseId: null });
  });

  test('end with a sender that stops', async () => {
    await scene.deliveries(3, { endpointId });
    await claim(test_.engine, { senderId: one });
    await retireSender(test_.engine, one);
    expect(await test_.db.prisma.webhookSender.count()).toBe(0);
    expect(idsOf(await claim(test_.engine, { senderId: two }))).toHaveLength(3);
  });
});

describe('a look at the queue', () => {
  test('tells whether something is due, when the next is, and which projects have endpoints', async () => {
    const look = () => viewQueue(test_.engine, { senderId: one, listsProjects: true });
    expect(await look()).toEqual({
      isDue: false,
      nextInMs: undefined,
      hasOthers: false,
      projectIds: new Set([scene.projectId]),
      failing: [],
    });
    await scene.deliveries(1, { endpointId, inMs: 700 });
    expect(await look()).toMatchObject({ isDue: false, nextInMs: 700 });
    await scene.deliveries(1, { endpointId });
    expect(await look()).toMatchObject({ isDue: true, nextInMs: 700, hasOthers: false });
    await claim(test_.engine, { senderId: two });
    expect(await look()).toMatchObject({ isDue: false, hasOthers: true });
  });
});
