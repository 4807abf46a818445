import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { firstLane } from '../../../../src/engine/webhooks/queue/index.ts';
import { useEngine } from '../../../support/engine.ts';
import { claim, ended, idsOf, leased, QueueScene, sceneClock, settle } from './scene.ts';

const clock = sceneClock();
const test_ = useEngine({ clock });

let scene: QueueScene;
beforeEach(async () => {
  await test_.db.query(
    'truncate webhook_work, webhook_lane, webhook_sender, webhook_delivery, webhook_endpoint, webhook_attempt',
  );
  scene = await QueueScene.open(test_.engine);
});

describe('a claim', () => {
  test('leases what is due, the oldest first, and names all that an attempt needs', async () => {
    const endpointId = await scene.endpoint();
    const [first, second] = await scene.deliveries(2, { endpointId });
    await scene.deliveries(1, { endpointId, inMs: 1 });
    const senderId = newId();
    const claimed = await claim(test_.engine, { senderId });
    expect(idsOf(claimed)).toEqual([first, second]);
    expect(leased(claimed)[0]).toEqual({
      deliveryId: first,
      claimNo: 1,
      lane: endpointId,
      projectId: scene.projectId,
      app: 'default',
      endpointId,
      url: `https://${endpointId}.example.com/hook`,
      eventKind: 'run.succeeded',
      scheme: 'service',
      attempt: 1,
      spent: 0,
      skip: undefined,
    });
    expect(claimed).toMatchObject({ hasMore: false, isContended: false, isAlive: true });
    expect(await scene.work(first ?? '')).toMatchObject({ leaseId: senderId, claimNo: 1 });
    expect(idsOf(await claim(test_.engine, { senderId }))).toEqual([]);
    clock.advance(1);
    expect(idsOf(await claim(test_.engine, { senderId }))).toHaveLength(1);
  });

  test('leases custom sends, which have no endpoint', async () => {
    const [id] = await scene.deliveries(1, {});
    const [delivery] = leased(await claim(test_.engine, { senderId: newId() }));
    expect(delivery).toMatchObject({
      deliveryId: id,
      eventKind: 'custom',
      endpointId: undefined,
      scheme: undefined,
      skip: undefined,
    });
  });

  test('takes the present URL of an endpoint, and records it', async () => {
    const endpointId = await scene.endpoint();
    const [id = ''] = await scene.deliveries(1, { endpointId });
    await test_.db.query('update webhook_endpoint set url = $2 where id = $1', [
      endpointId,
      'https://moved.example.com/',
    ]);
    const [delivery] = leased(await claim(test_.engine, { senderId: newId() }));
    expect(delivery?.url).toBe('https://moved.example.com/');
    expect((await scene.delivery(id)).url).toBe('https://moved.example.com/');
  });

  test('tells which deliveries are to be skipped, because their endpoint is disabled or gone', async () => {
    const disabled = await scene.endpoint({ enabled: false });
    const deleted = newId();
    await scene.deliveries(1, { endpointId: disabled });
    await scene.deliveries(1, { endpointId: deleted });
    const claimed = leased(await claim(test_.engine, { senderId: newId() }));
    expect(Object.fromEntries(claimed.map(({ lane, skip }) => [lane, skip]))).toEqual({
      [disabled]: 'disabled',
      [deleted]: 'deleted',
    });
  });

  test('keeps the ceiling of an endpoint over two processes', async () => {
    const endpointId = await scene.endpoint();
    await scene.deliveries(25, { endpointId });
    const [one, two] = [newId(), newId()];
    expect(idsOf(await claim(test_.engine, { senderId: one, room: 6 }))).toHaveLength(6);
    expect(idsOf(await claim(test_.engine, { senderId: two }))).toHaveLength(4);
    expect(idsOf(await claim(test_.engine, { senderId: one }))).toHaveLength(0);
  });

  test('leases ahead only while no other process has leases of the endpoint', async () => {
    const endpointId = await scene.endpoint();
    await scene.deliveries(60, { endpointId });
    const [one, two] = [newId(), newId()];
    const alone = leased(await claim(test_.engine, { senderId: one, ahead: 20 }));
    expect(alone).toHaveLength(30);
    expect(idsOf(await claim(test_.engine, { senderId: two, ahead: 20 }))).toHaveLength(0);
    await settle(
      test_.engine,
      one,
      alone.slice(0, 23).map((each) => ended(each, 200)),
    );
    // 7 are left, so another process gets 3, and from then on the ceiling holds for both together.
    expect(idsOf(await claim(test_.engine, { senderId: two, ahead: 20 }))).toHaveLength(3);
    expect(idsOf(await claim(test_.engine, { senderId: one, ahead: 20 }))).toHaveLength(0);
  });

  test('shares its room between endpoints, which take turns', async () => {
    const lanes = await Promise.all(Array.from({ length: 4 }, () => scene.endpoint()));
    for (const endpointId of lanes) await scene.deliveries(9, { endpointId });
    const counts = (claimed: Awaited<ReturnType<typeof claim>>) =>
      claimed.lanes.map(({ lane, deliveries }) => [lane, deliveries.length]);
    const sorted = [...lanes].sort();
    const [a, b, c, d] = sorted;
    const senderId = newId();
    const first = await claim(test_.engine, { senderId, room: 8 });
    expect(Object.fromEntries(counts(first))).toEqual(Object.fromEntries(sorted.map((lane) => [lane, 2])));
    expect(first.hasMore).toBe(true);
    const second = await claim(test_.engine, { senderId, room: 3, after: firstLane });
    expect(
      counts(second)
        .map(([lane]) => lane)
        .sort(),
    ).toEqual([a, b, c]);
    const third = await claim(test_.engine, { senderId, room: 3, after: second.nextAfter });
    expect(
      counts(third)
        .map(([lane]) => lane)
        .sort(),
    ).toEqual([a, b, d]);
  });

  test('leaves out the lanes that it is told to', async () => {
    const [one, two] = [await scene.endpoint(), await scene.endpoint()];
    await scene.deliveries(1, { endpointId: one });
    await scene.deliveries(1, { endpointId: two });
    const claimed = await claim(test_.engine, { senderId: newId(), except: [one] });
    expect(claimed.lanes.map(({ lane }) => lane)).toEqual([two]);
  });

  test('probes an endpoint by one attempt at a time after five failures in a row, until one succeeds', async () => {
    const endpointId = await scene.endpoint();
    await scene.deliveries(30, { endpointId });
    const senderId = newId();
    const five = leased(await claim(test_.engine, { senderId, room: 5 }));
    await settle(
      test_.engine,
      senderId,
      five.slice(0, 4).map((each) => ended(each, 500)),
    );
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 4 });
    await settle(
      test_.engine,
      senderId,
      five.slice(4).map((each) => ended(each, 'timeout')),
    );
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 5 });
    const probe = leased(await claim(test_.engine, { senderId, ahead: 20 }));
    expect(probe).toHaveLength(1);
    expect(idsOf(await claim(test_.engine, { senderId: newId() }))).toHaveLength(0);
    await settle(
      test_.engine,
      senderId,
      probe.map((each) => ended(each, 503)),
    );
    const again = leased(await claim(test_.engine, { senderId }));
    expect(again).toHaveLength(1);
    await settle(
      test_.engine,
      senderId,
      again.map((each) => ended(each, 204)),
    );
    expect(await scene.lane(endpointId)).toMatchObject({ failures: 0, failingSince: null });
    expect(idsOf(await claim(test_.engine, { senderId }))).toHaveLength(10);
  });
});

describe('a backlog of one endpoint', () => {
  /** The rows of the queue that a claim reads, also those of its indexes. */
  async function rowsRead(work: () => Promise<unknown>): Promise<number> {
    const read = async (): Promise<number> => {
      const { rows } = await test_.db.query<{ n: number }>(
        `select pg_stat_force_next_flush(), coalesce(sum(seq_tup_read), 0)::int + (
           select coalesce(sum(idx_tup_read), 0)::int from pg_stat_user_indexes where relname = 'webhook_work'
         ) as n from pg_stat_user_tables where relname = 'webhook_work'`,
      );
      return rows[0]?.n ?? 0;
    };
    const flush = () =>
      Promise.all(
        Array.from({ length: test_.db.pool.totalCount }, () => test_.db.query('select pg_stat_force_next_flush()')),
      );
    await flush();
    const before = await read();
    await work();
    await flush();
    return (await read()) - before;
  }

  test('of 100,000 deliveries costs a claim of another endpoint no more than a few hundred rows', async () => {
    // The busy one sorts first.
    const busy = await scene.endpoint({ id: '00000000-0000-7000-8000-000000000001' });
    const quiet = await scene.endpoint();
    await test_.db.query(
      `with made as (
         insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, status)
         select gen_random_uuid(), $1, 'default', $2, 'https://a.example.com', 'run.succeeded', 'pending' from generate_series(1, 100000)
         returning id
       )
       insert into webhook_work (delivery_id, project_id, lane, due_at) select id, $1, $2, $3 from made`,
      [scene.projectId, busy, clock.now()],
    );
    await test_.db.query('vacuum analyze webhook_work');
    const senderId = newId();
    const first = await claim(test_.engine, { senderId });
    expect(first.lanes.map(({ lane, deliveries }) => [lane, deliveries.length])).toEqual([[busy, 10]]);
    clock.advance(1_000);
    const [id] = await scene.deliveries(1, { endpointId: quiet });
    let claimed: string[] = [];
    const read = await rowsRead(async () => {
      claimed = idsOf(await claim(test_.engine, { senderId }));
    });
    expect(claimed).toEqual([id]);
    expect(read).toBeLessThan(500);
  });
});
