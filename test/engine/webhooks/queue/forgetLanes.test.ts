import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onFailPoint } from '../../../../src/engine/db/failPoints.ts';
import { newId } from '../../../../src/engine/ids.ts';
import { firstLane, forgetLanes } from '../../../../src/engine/webhooks/queue/index.ts';
import { Scheduler } from '../../../../src/workers/scheduler/index.ts';
import { useEngine } from '../../../support/engine.ts';
import { claim, ended, idsOf, leased, QueueScene, sceneClock, settle } from './scene.ts';

const dayMs = 86_400_000;
const clock = sceneClock();
const test_ = useEngine({ clock });

let scene: QueueScene;
beforeEach(async () => {
  await test_.db.query(
    'truncate webhook_work, webhook_lane, webhook_sender, webhook_delivery, webhook_endpoint, webhook_attempt',
  );
  scene = await QueueScene.open(test_.engine);
});

afterEach(() => onFailPoint(undefined));

const forget = (page: { after?: string; limit?: number } = {}) =>
  forgetLanes(test_.engine, { after: firstLane, ...page });

/** The lane of an origin whose only delivery was attempted now. */
async function usedLane(answer = 500): Promise<string> {
  const lane = newId();
  await scene.deliveries(1, { lane });
  const senderId = newId();
  const [delivery] = leased(await claim(test_.engine, { senderId }));
  if (!delivery) throw new Error('no delivery was due');
  await settle(test_.engine, senderId, [ended(delivery, answer)]);
  await test_.db.query('delete from webhook_work where lane = $1', [lane]);
  return lane;
}

describe('the lane of an origin', () => {
  test('is deleted once it has had no attempt for a day, and no sooner', async () => {
    const lane = await usedLane();
    clock.advance(dayMs - 1);
    expect(await forget()).toMatchObject({ forgotten: 0 });
    expect(await scene.lane(lane)).toMatchObject({ failures: 1 });
    clock.advance(1);
    expect(await forget()).toMatchObject({ forgotten: 1 });
    expect(await scene.lane(lane)).toBeNull();
  });

  test('is deleted if nothing was ever attempted in it', async () => {
    const lane = newId();
    await test_.db.query('insert into webhook_lane (id, project_id) values ($1, $2)', [lane, scene.projectId]);
    expect(await forget()).toMatchObject({ forgotten: 1 });
    expect(await scene.lane(lane)).toBeNull();
  });

  test('stays while a delivery waits in it, or is being attempted', async () => {
    const lane = await usedLane();
    clock.advance(dayMs);
    await scene.deliveries(1, { lane, inMs: 1_000 });
    expect(await forget()).toMatchObject({ forgotten: 0 });
    clock.advance(1_000);
    expect(idsOf(await claim(test_.engine, { senderId: newId() }))).toHaveLength(1);
    expect(await forget()).toMatchObject({ forgotten: 0 });
    expect(await scene.lane(lane)).not.toBeNull();
  });

  test('is made anew by the claim of a later delivery', async () => {
    const lane = await usedLane();
    clock.advance(dayMs);
    await forget();
    const [id = ''] = await scene.deliveries(1, { lane });
    const senderId = newId();
    const [delivery] = leased(await claim(test_.engine, { senderId }));
    expect(delivery).toMatchObject({ deliveryId: id });
    if (delivery) await settle(test_.engine, senderId, [ended(delivery, 500)]);
    expect(await scene.lane(lane)).toMatchObject({ failures: 1 });
  });
});

test('the lane of an endpoint stays, however long it is idle', async () => {
  const endpointId = await scene.endpoint();
  await scene.deliveries(1, { endpointId });
  const senderId = newId();
  const [delivery] = leased(await claim(test_.engine, { senderId }));
  if (delivery) await settle(test_.engine, senderId, [ended(delivery, 200)]);
  clock.advance(dayMs);
  expect(await forget()).toMatchObject({ forgotten: 0 });
  await test_.db.query('delete from webhook_endpoint where id = $1', [endpointId]);
  expect(await forget()).toMatchObject({ forgotten: 1 });
});

describe('a claim and the deletion of a lane', () => {
  test('a lane that a claim has locked is skipped', async () => {
    const lane = await usedLane();
    clock.advance(dayMs);
    await test_.db.transaction(async (tx) => {
      await tx.query('select from webhook_lane where id = $1 for update', [lane]);
      expect(await forget()).toMatchObject({ forgotten: 0 });
    });
    expect(await forget()).toMatchObject({ forgotten: 1 });
  });

  test('a delivery that comes after the look at its lane keeps the lane', async () => {
    const lane = await usedLane();
    clock.advance(dayMs);
    onFailPoint(async (point) => {
      if (point === 'deleteIdleLanes:before') await scene.deliveries(1, { lane });
    });
    expect(await forget()).toMatchObject({ forgotten: 0 });
    expect(await scene.lane(lane)).not.toBeNull();
  });

  test('a delivery that comes before the deletion is committed is claimed after it', async () => {
    const lane = await usedLane();
    clock.advance(dayMs);
    const senderId = newId();
    let id = '';
    onFailPoint(async (point) => {
      if (point !== 'deleteIdleLanes:after') return;
      [id = ''] = await scene.deliveries(1, { lane });
      expect(await claim(test_.engine, { senderId })).toMatchObject({ isContended: true, hasMore: true, lanes: [] });
    });
    expect(await forget()).toMatchObject({ forgotten: 1 });
    expect(await scene.lane(lane)).toBeNull();
    expect(idsOf(await claim(test_.engine, { senderId }))).toEqual([id]);
    expect(await scene.lane(lane)).not.toBeNull();
  });
});

describe('the walk over lanes', () => {
  const lanes = ['1', '2', '3', '4', '5'].map((n) => `${n}0000000-0000-8000-8000-000000000000`);
  const left = async () => (await test_.db.prisma.webhookLane.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
  const fill = (usedAt: Date | null) =>
    test_.db.query(
      'insert into webhook_lane (id, project_id, last_attempt_at) select id, $2, $3 from unnest($1::uuid[]) as l(id)',
      [lanes, scene.projectId, usedAt],
    );

  test('examines one page of lanes, and continues after it', async () => {
    await fill(null);
    expect(await forget({ limit: 2 })).toEqual({ forgotten: 2, full: true, next: lanes[1] });
    expect(await left()).toEqual(lanes.slice(2));
    expect(await forget({ limit: 2, after: lanes[1] ?? '' })).toEqual({ forgotten: 2, full: true, next: lanes[3] });
    expect(await forget({ limit: 2, after: lanes[3] ?? '' })).toEqual({ forgotten: 1, full: false, next: firstLane });
  });

  test('pauses after a page without idle lanes', async () => {
    await fill(clock.now());
    expect(await forget({ limit: 2 })).toEqual({ forgotten: 0, full: false, next: lanes[1] });
  });

  test('is a duty of the scheduler', async () => {
    await fill(null);
    expect(await new Scheduler(test_.engine).forget()).toEqual({ again: false });
    expect(await left()).toEqual([]);
  });
});
