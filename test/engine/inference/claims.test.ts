import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../../src/engine/ids.ts';
import { claimCalls, firstPlace, unholdLook } from '../../../src/engine/inference/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { answered, asking, ended, held, InferenceScene, refused, sceneClock, succeeded } from './scene.ts';

const clock = sceneClock();
const limits = { ...defaultEngineSettings.limits, inferenceConcurrency: 8 };
const test = useEngine({ clock, settings: { limits } });

const open = () => InferenceScene.open(test, asking(['ask']));

describe('a claim', () => {
  it('leases the oldest due calls first, and each to one process', async () => {
    const scene = await open();
    await scene.backlog(3);
    await scene.backlog(2, { msAgo: 5000 });
    const first = await scene.claim({ room: 2 });
    expect(first.calls).toHaveLength(2);
    const left = await test.db.prisma.inferenceCall.findMany({ where: { leaseId: null } });
    expect(left.map(({ dueAt }) => dueAt)).toEqual([clock.now(), clock.now(), clock.now()]);
    expect((await scene.claim({ processId: newId() })).calls).toHaveLength(3);
    expect((await scene.claim()).calls).toEqual([]);
  });

  it('leases at most the limit of a key, over all processes and models', async () => {
    const scene = await open();
    await scene.backlog(10);
    await scene.backlog(10, { model: 'haiku' });
    const claims = await Promise.all([scene.claim(), scene.claim({ processId: newId() })]);
    const again = await scene.claim({ processId: newId() });
    expect([...claims, again].flatMap(({ calls }) => calls)).toHaveLength(8);
    expect(again).toMatchObject({ calls: [], hasMore: false });
  });

  it('leaves the keys of other providers and projects their own limits', async () => {
    const scene = await open();
    await scene.backlog(20);
    await scene.backlog(20, { provider: 'openai' });
    await scene.backlog(20, { owner: scene.projectId });
    expect((await scene.claim()).calls).toHaveLength(24);
    expect(await test.db.prisma.inferenceKey.findMany({ orderBy: { provider: 'asc' } })).toMatchObject([
      { provider: 'anthropic' },
      { provider: 'anthropic' },
      { provider: 'openai', projectId: null },
    ]);
    expect(await test.db.prisma.inferenceKey.count({ where: { projectId: scene.projectId } })).toBe(1);
  });

  it('gives every process that asks at once its share, and none a call twice', async () => {
    const scene = await open();
    for (const provider of ['a', 'b', 'c', 'd', 'e']) await scene.backlog(20, { provider });
    const processes = Array.from({ length: 6 }, () => newId());
    const taken = new Set<string>();
    let count = 0;
    for (let round = 0; round < 5; round += 1) {
      const claims = await Promise.all(processes.map((processId) => scene.claim({ processId, room: 10 })));
      for (const call of claims.flatMap(({ calls }) => calls)) {
        taken.add(call.runId);
        count += 1;
      }
    }
    expect(count).toBe(40);
    expect(taken.size).toBe(40);
  });
});

describe('projects that share a key', () => {
  it('take turns: a backlog of one lets the call of another be among the next', async () => {
    const scene = await open();
    await scene.backlog(10_000, { msAgo: 60_000 });
    const other = await createTestProject(test.engine);
    await scene.backlog(1, { projectId: other });
    const { calls } = await scene.claim();
    expect(calls).toHaveLength(8);
    expect(calls.filter(({ projectId }) => projectId === other)).toHaveLength(1);
  });

  it('get the next free place by the calls that they have in flight', async () => {
    const scene = await open();
    await scene.backlog(100, { msAgo: 60_000 });
    expect((await scene.claim()).calls).toHaveLength(8);
    const other = await createTestProject(test.engine);
    await scene.backlog(100, { projectId: other });
    await test.db.query(`delete from inference_call where (run_id, step_index) in (
      select run_id, step_index from inference_call where lease_id is not null limit 4)`);
    const { calls } = await scene.claim();
    expect(calls.map(({ projectId }) => projectId)).toEqual([other, other, other, other]);
  });

  it('fill the key together, however many there are', async () => {
    const scene = await open();
    const projects = [];
    for (let n = 0; n < 30; n += 1) projects.push(await createTestProject(test.engine));
    for (const projectId of projects) await scene.backlog(2, { projectId });
    const { calls } = await scene.claim();
    expect(new Set(calls.map(({ projectId }) => projectId)).size).toBe(8);
  });
});

/** Answers a leased call, by a send that begins now. */
const answerOne = async (scene: InferenceScene): Promise<void> => {
  const row = await test.db.prisma.inferenceCall.findFirstOrThrow({ where: { NOT: { leaseId: null } } });
  await test.db.query('update inference_call set lease_id = null where run_id = $1', [row.runId]);
  await test.db.query(`update inference_call set due_at = due_at - interval '1 day' where run_id = $1`, [row.runId]);
  await test.db.query(
    `insert into inference_send (run_id, step_index, attempt, number, project_id, key_id, provider, model, idempotency_key, process_id, reserved_tokens, started_at)
     values ($1, 0, 1, 1, $2, $3, 'anthropic', 'opus', $1, $1, 1, $4)`,
    [row.runId, row.projectId, row.keyId, clock.now()],
  );
  const run = { app: 'default', workflow: 'flow', runLaneId: 1 };
  const call = { ...row, ...run, keyFrom: 'settings' as const, request: Buffer.alloc(0) };
  const settled = await scene.settle(
    { ...call, maxTokens: undefined, afterUnknown: false },
    succeeded(),
    ended(1, answered()),
  );
  expect(settled).toBe('settled');
};

describe('a held lane', () => {
  it('is skipped until the hold ends, then one call probes, and each success doubles', async () => {
    const scene = await open();
    await scene.backlog(40);
    const { calls } = await scene.claim();
    const first = calls[0];
    if (!first) throw new Error('nothing was claimed');
    // The runs have no work, so their sends are made up: only the lane counts here.
    const hold = (forMs?: number) => scene.settle(first, held(forMs), ended(1, refused()));
    await hold(5000);
    await test.db.query('update inference_call set lease_id = null');
    expect(await scene.lane(first.laneId)).toMatchObject({ width: 1, holds: 1, heldFor: '529 overloaded_error' });
    expect(await scene.claim()).toMatchObject({ calls: [], hasMore: false, nextInMs: 5000 });
    clock.advance(5000);
    expect((await scene.claim()).calls).toHaveLength(1);
    expect((await scene.claim()).calls).toHaveLength(0);
    for (const [width, inFlight] of [
      [2, 2],
      [4, 4],
      [null, 8],
    ] as const) {
      await answerOne(scene);
      expect(await scene.lane(first.laneId)).toMatchObject({ width, holds: 0, heldUntil: null, heldFor: null });
      await scene.claim();
      expect(await test.db.prisma.inferenceCall.count({ where: { NOT: { leaseId: null } } })).toBe(inFlight);
    }
  });

  it('is held 1 s at first, then twice as long each time, up to a minute', async () => {
    const scene = await open();
    await scene.start();
    const times = [];
    for (let round = 0; round < 9; round += 1) {
      const call = await scene.claimOne();
      await scene.execute(call, refused(), held());
      const { heldUntil } = await scene.lane(call.laneId);
      const ms = (heldUntil?.getTime() ?? 0) - clock.now().getTime();
      times.push(ms / 1000);
      clock.advance(ms);
    }
    expect(times).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('is held at most ten minutes, whatever the provider asks for', async () => {
    const scene = await open();
    await scene.start();
    const call = await scene.claimOne();
    await scene.execute(call, refused(), held(86_400_000));
    expect(await scene.lane(call.laneId)).toMatchObject({ heldUntil: new Date(clock.now().getTime() + 600_000) });
  });

  it('counts the refusals of calls in flight together as one hold', async () => {
    const scene = await InferenceScene.open(test, asking(['a', 'b', 'c']));
    await scene.start();
    const { calls } = await scene.claim();
    const numbers = [];
    for (const call of calls) numbers.push(await scene.sent(call));
    for (const [n, call] of calls.entries()) await scene.settle(call, held(), ended(numbers[n] ?? 0, refused()));
    expect(await scene.lane(calls[0]?.laneId ?? '')).toMatchObject({
      holds: 1,
      heldUntil: new Date(clock.now().getTime() + 1000),
    });
  });

  it('lets no claimed call begin its send, and uses up none of its failures', async () => {
    const scene = await InferenceScene.open(test, asking(['a', 'b']));
    const runId = await scene.start();
    const [one, two] = (await scene.claim()).calls;
    if (!one || !two) throw new Error('two calls are due');
    await scene.execute(one, refused(), held(5000));
    expect(await scene.begin(two)).toEqual({ kind: 'waits' });
    expect(await scene.calls(runId)).toMatchObject([
      { failures: 0, leaseId: null },
      { failures: 0, leaseId: null },
    ]);
    expect(await scene.sends(runId)).toHaveLength(1);
  });

  it('delays no other lane of the key', async () => {
    const scene = await InferenceScene.open(test, (request) => asking(['ask'], { model: request.event.name })(request));
    await scene.backlog(3, { model: 'haiku' });
    await scene.start();
    const { calls } = await scene.claim();
    const slow = calls.find(({ model }) => model !== 'haiku');
    if (!slow) throw new Error('the call was not claimed');
    await scene.execute(slow, refused(), held(60_000));
    await scene.backlog(2, { model: 'haiku' });
    expect((await scene.claim()).calls.map(({ model }) => model)).toEqual(['haiku', 'haiku']);
  });
});

describe('a look into the cache', () => {
  it('waits for no lane, and occupies no place of its key', async () => {
    const scene = await InferenceScene.open(test, asking(['a', 'b'], { temperature: 0.2 }));
    await scene.backlog(8);
    expect((await scene.claim()).calls).toHaveLength(8);
    const runId = await scene.start();
    const { calls } = await scene.claim();
    expect(calls).toMatchObject([
      { runId, looksUp: true },
      { runId, looksUp: true },
    ]);
    const [look] = calls;
    if (!look) throw new Error('no look was claimed');
    await unholdLook(test.engine, { processId: scene.processId, call: look });
    expect(await scene.calls(runId)).toMatchObject([{ looksUp: false, leaseId: null }, { looksUp: true }]);
    expect((await scene.claim()).calls).toEqual([]);
  });

  it('of one project is among the next, although many of another wait', async () => {
    const scene = await open();
    await scene.backlog(2000, { msAgo: 60_000, looksUp: true });
    const other = await createTestProject(test.engine);
    await scene.backlog(3, { projectId: other, looksUp: true });
    const { calls, hasMore } = await scene.claim({ room: 8 });
    expect(calls.map(({ projectId }) => projectId === other)).toEqual([false, false, true, true]);
    expect(hasMore).toBe(true);
    // The looks in flight count, too.
    const next = await createTestProject(test.engine);
    await scene.backlog(2, { projectId: next, looksUp: true });
    const later = await scene.claim({ room: 4 });
    expect(later.calls.map(({ projectId }) => projectId)).toEqual([next, next]);
  });

  it('is given to each of the processes that ask at once, and to none twice', async () => {
    const scene = await open();
    await scene.backlog(90, { looksUp: true });
    const processes = Array.from({ length: 3 }, () => newId());
    const taken: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const claims = await Promise.all(processes.map((processId) => scene.claim({ processId, room: 20 })));
      taken.push(...claims.flatMap(({ calls }) => calls.map(({ runId }) => runId)));
    }
    expect([taken.length, new Set(taken).size]).toEqual([90, 90]);
  });

  it('is found in each of more projects than one claim visits, and then the round ends', async () => {
    const scene = await open();
    await test.db.query(
      `insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
         looks_up, due_at, deadline_at, idempotency_key)
       select gen_random_uuid(), 0, 1, gen_random_uuid(), $1, $1, 'p', 'm', '\\x00', 1,
         true, $2::timestamptz + (n % 2) * interval '1 minute', $2, gen_random_uuid()
       from generate_series(1, 1400) as p(n)`,
      [newId(), clock.now()],
    );
    let after = firstPlace;
    let count = 0;
    for (let claims = 0; ; claims += 1) {
      const { hasMore, nextAfter } = await scene.claim({ after, room: 400 });
      after = nextAfter;
      count = await test.db.prisma.inferenceCall.count({ where: { NOT: { leaseId: null } } });
      if (!hasMore) break;
      expect(claims).toBeLessThan(30);
    }
    expect([count, after]).toEqual([700, firstPlace]);
  });
});

describe('a lane without a recent success', () => {
  const wide = { ...limits, inferenceConcurrency: 100 };
  const flight = () => test.db.prisma.inferenceCall.count({ where: { NOT: { leaseId: null } } });
  const widen = () => {
    test.engine.settings.limits = wide;
    onTestFinished(() => {
      test.engine.settings.limits = limits;
    });
  };

  it('begins with 16 calls in flight, and each success doubles them up to the limit', async () => {
    widen();
    const scene = await open();
    await scene.backlog(300);
    expect((await scene.claim()).calls).toHaveLength(16);
    expect((await scene.claim()).calls).toHaveLength(0);
    for (const inFlight of [32, 64, 100, 100]) {
      await answerOne(scene);
      await scene.claim();
      expect(await flight()).toBe(inFlight);
    }
  });

  it('opens by itself while the provider is slow to answer, and says when', async () => {
    widen();
    const scene = await open();
    await scene.backlog(300);
    await scene.claim();
    expect(await scene.claim()).toMatchObject({ calls: [], nextInMs: 2000 });
    for (const inFlight of [32, 64, 100]) {
      clock.advance(1999);
      expect((await scene.claim()).calls).toHaveLength(0);
      clock.advance(1);
      await scene.claim();
      expect(await flight()).toBe(inFlight);
    }
  });

  it('does not open by itself after a hold', async () => {
    widen();
    const scene = await open();
    await scene.backlog(300);
    const [call] = (await scene.claim()).calls;
    if (!call) throw new Error('nothing was claimed');
    await scene.settle(call, held(1000), ended(1, refused()));
    await test.db.query('update inference_call set lease_id = null');
    clock.advance(60_000);
    expect((await scene.claim()).calls).toHaveLength(1);
    clock.advance(60_000);
    expect((await scene.claim()).calls).toHaveLength(0);
    await answerOne(scene);
    clock.advance(60_000);
    await scene.claim();
    expect(await flight()).toBe(2);
  });

  it('is one that had none for ten minutes', async () => {
    widen();
    const scene = await open();
    await scene.backlog(400);
    await scene.claim();
    for (let n = 0; n < 3; n += 1) await answerOne(scene);
    const rest = async (ms: number) => {
      await test.db.query('update inference_call set lease_id = null');
      clock.advance(ms);
      await scene.claim();
      return flight();
    };
    expect(await rest(599_000)).toBe(100);
    // The success that counts was a minute ago at most when it was noted.
    await answerOne(scene);
    expect(await rest(540_000)).toBe(100);
    expect(await rest(60_001)).toBe(16);
  });
});

describe('more places than one claim visits', () => {
  it('are visited in turn, and a round ends although nothing is due', async () => {
    const scene = await open();
    for (let n = 0; n < 3; n += 1) await scene.backlog(1, { provider: `p${n}`, msAgo: -60_000 });
    await test.db.query(
      `insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
         due_at, deadline_at, idempotency_key)
       select gen_random_uuid(), 0, 1, $1, gen_random_uuid(), gen_random_uuid(), 'p' || n, 'm', '\\x00', 1,
         $2::timestamptz + interval '1 minute', $2, gen_random_uuid()
       from generate_series(1, 1100) as p(n)`,
      [scene.projectId, clock.now()],
    );
    const rounds = [];
    let after = firstPlace;
    for (;;) {
      const { hasMore, nextAfter, calls, nextInMs } = await scene.claim({ after });
      rounds.push({ calls: calls.length, nextInMs });
      after = nextAfter;
      if (!hasMore) break;
    }
    expect(rounds).toEqual([1, 2, 3].map(() => ({ calls: 0, nextInMs: 60_000 })));
    expect(after).toBe(firstPlace);
  });
});

describe('a long queue', () => {
  // Autovacuum would gather others than a test names, such as those of a queue that grows.
  beforeAll(() => test.db.query('alter table inference_call set (autovacuum_enabled = off)'));
  afterAll(() => test.db.query('alter table inference_call reset (autovacuum_enabled)'));

  /** Claims, and counts the rows that the claim has read of the calls and their indexes. */
  async function countReads(scene: InferenceScene): Promise<{ calls: number; read: number }> {
    let read = 0;
    const { db } = test.engine;
    const transaction: typeof db.transaction = (work) =>
      db.transaction(async (tx) => {
        // The counts of former transactions of the connection may not be flushed yet.
        const count = async (): Promise<number> => {
          const { rows } = await tx.query<{ read: number }>(
            `select sum(pg_stat_get_xact_tuples_returned(r))::float8 as read from (
               select indexrelid from pg_index where indrelid = 'inference_call'::regclass
               union all select 'inference_call'::regclass
             ) each (r)`,
          );
          return rows[0]?.read ?? 0;
        };
        const before = await count();
        const result = await work(tx);
        read += (await count()) - before;
        return result;
      });
    const engine = { ...test.engine, db: { ...db, transaction } };
    const question = { processId: scene.processId, registers: true, room: 50, after: firstPlace };
    const { calls } = await claimCalls(engine, question);
    await test.db.query(`delete from inference_call where model = 'other'`);
    return { calls: calls.length, read };
  }

  it.each([
    ['fresh', 'analyze inference_call'],
    ['from when there were hardly any calls', 'select 1'],
  ])('in a held lane is not read by a claim of another, with statistics that are %s', async (_, afterwards) => {
    const scene = await open();
    await scene.backlog(1);
    await test.db.query('analyze inference_call');
    const held_ = await scene.claimOne();
    await test.db.query('update inference_call set lease_id = null');
    await test.db.query(`update inference_lane set held_until = '2030-01-01', width = 1 where id = $1`, [held_.laneId]);
    await scene.backlog(20_000, { msAgo: 60_000 });
    await test.db.query(afterwards);
    await scene.backlog(2, { model: 'other' });
    const { calls, read } = await countReads(scene);
    expect(calls).toBe(2);
    expect(read).toBeLessThan(100);
  });

  it.each([
    ['fresh', 'analyze inference_call'],
    ['from when there were hardly any calls', 'select 1'],
  ])(
    'of looks into the cache is read by a claim as far as it has room, with statistics that are %s',
    async (_, afterwards) => {
      const scene = await open();
      await scene.backlog(1, { looksUp: true });
      await test.db.query('analyze inference_call');
      await scene.backlog(20_000, { msAgo: 60_000, looksUp: true });
      await test.db.query(afterwards);
      await scene.backlog(1, { projectId: await createTestProject(test.engine), looksUp: true });
      const { calls, read } = await countReads(scene);
      expect(calls).toBe(25);
      expect(read).toBeLessThan(300);
    },
  );
});
