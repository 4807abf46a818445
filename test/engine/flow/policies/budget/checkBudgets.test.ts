import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { runDoctor } from '../../../../../src/engine/doctor/index.ts';
import { useEngine } from '../../../../support/engine.ts';
import { openScene, spend } from './scene.ts';

const clock = new ManualClock();

const service = useEngine({ clock });

const healthy = async () =>
  expect((await runDoctor(service.engine)).checks.flatMap((each) => each.violations)).toEqual([]);

const minute = 60_000;
const budget = { maxTokens: 100, windowMs: minute };

describe('2.2 budget', () => {
  test('pauses every unfinished run of the workflow once a limit is reached, whatever its status', async () => {
    const scene = await openScene(service, { budget }, { clock });
    const asleep = await scene.after({ sleepMs: 10 * minute });
    const awaiting = await scene.after({ event: 'never' });
    await scene.after(spend(60));
    await scene.check();
    expect(await scene.state(asleep)).toEqual(['waiting', null]);
    await scene.after(spend(40));
    const flying = await scene.start(spend(1), spend(2));
    const [pass] = await scene.dispatcher.claim();
    const queued = await scene.start(spend(1));
    const published: string[] = [];
    const stop = service.engine.bus.on('run.pausing', ({ runId }) => void published.push(runId));
    await scene.check();
    stop();
    // The dispatcher of a leased run gets the message, so that it starts no further step.
    expect(published).toEqual([flying]);
    expect(await scene.state(asleep)).toEqual(['paused', 'budget']);
    expect(await scene.state(awaiting)).toEqual(['paused', 'budget']);
    expect(await scene.state(queued)).toEqual(['paused', 'budget']);
    expect(await scene.state(flying)).toEqual(['running', 'budget']);
    if (pass) await scene.dispatcher.drive(pass);
    expect(await scene.state(flying)).toEqual(['paused', 'budget']);
    expect(await scene.work(flying)).toMatchObject({ state: 'paused', leaseId: null });
    expect(await scene.dispatcher.runOnce()).toBe(0);
    await healthy();
  });

  test('pauses runs that wait for a slot or for a runner', async () => {
    const scene = await openScene(service, { budget, concurrency: { limit: 1 } }, { clock });
    await scene.after(spend(100));
    const first = await scene.start(spend(1));
    const [pass] = await scene.dispatcher.claim();
    const gated = await scene.start();
    await scene.dispatcher.claim();
    expect(await scene.work(gated)).toMatchObject({ state: 'gated' });
    await scene.check();
    expect(await scene.state(gated)).toEqual(['paused', 'budget']);
    if (pass) await scene.dispatcher.drive(pass);
    await scene.pass(minute);
    await scene.check();
    await service.db.query('update runner set connected = false');
    await scene.dispatcher.lookAfterStranded();
    expect(await scene.state(gated)).toEqual(['waiting', null]);
    await scene.register({ budget: { ...budget, windowMs: 10 * minute }, concurrency: { limit: 1 } });
    await service.db.query('update runner set connected = false');
    await scene.check();
    expect(await scene.state(gated)).toEqual(['paused', 'budget']);
    await healthy();
    await scene.register({});
    await scene.check();
    await scene.dispatcher.runOnce();
    for (const runId of [first, gated]) expect(await scene.state(runId)).toEqual(['succeeded', null]);
  });

  test('resumes its runs when the window has moved on', async () => {
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(100));
    const asleep = await scene.after({ sleepMs: 10 * minute });
    const due = await scene.after({ sleepMs: 10 });
    const queued = await scene.start(spend(1));
    await scene.check();
    await scene.pass(minute - 1);
    await scene.check();
    expect(await scene.state(queued)).toEqual(['paused', 'budget']);
    await scene.pass(1);
    await scene.check();
    expect(await scene.state(queued)).toEqual(['queued', null]);
    expect(await scene.state(asleep)).toEqual(['waiting', null]);
    expect(await scene.state(due)).toEqual(['queued', null]);
    await scene.dispatcher.runOnce();
    expect(await scene.state(queued)).toEqual(['succeeded', null]);
    expect(await scene.state(due)).toEqual(['succeeded', null]);
    await healthy();
  });

  test('resumes its runs when it is raised or removed', async () => {
    for (const relief of [{ budget: { ...budget, maxTokens: 101 } }, { budget: { ...budget, windowMs: 1 } }, {}]) {
      const scene = await openScene(service, { budget }, { clock });
      await scene.after(spend(100));
      const queued = await scene.start(spend(1));
      await scene.check();
      expect(await scene.state(queued)).toEqual(['paused', 'budget']);
      await scene.pass(1);
      await scene.register(relief);
      await scene.check();
      expect(await scene.state(queued)).toEqual(['queued', null]);
      await scene.dispatcher.runOnce();
      expect(await scene.state(queued)).toEqual(['succeeded', null]);
    }
  });

  test('pauses existing runs when it is lowered', async () => {
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(50));
    const queued = await scene.start(spend(1));
    await scene.check();
    expect(await scene.state(queued)).toEqual(['queued', null]);
    await scene.register({ budget: { ...budget, maxTokens: 50 } });
    await scene.check();
    expect(await scene.state(queued)).toEqual(['paused', 'budget']);
  });

  test('announces the first frame of a start that begins paused, then its pause, and then answers', async () => {
    const { bus } = service.engine;
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(100));
    await scene.check();
    const published: string[] = [];
    const stops = [
      bus.on('run.frames', ({ runId }) => void published.push(`frames of ${runId}`)),
      bus.on('run.moved', ({ runs }) => void published.push(...runs.map(({ runId }) => `${runId} moved`))),
    ];
    const held = await scene.start();
    expect(published).toEqual([`frames of ${held}`, `${held} moved`]);
    for (const stop of stops) stop();
  });

  test('starts every run paused while it is spent, so that short runs do not spend between two checks', async () => {
    const scene = await openScene(service, { budget }, { clock });
    const done = await scene.after(spend(100));
    await scene.check();
    const fresh = await scene.start(spend(60));
    const { id: fork } = await scene.replay(done);
    for (const runId of [fresh, fork]) {
      expect(await scene.state(runId)).toEqual(['paused', 'budget']);
      expect((await scene.frames(runId, 'run_status')).map(({ payload }) => payload)).toEqual([
        { status: 'queued' },
        { status: 'paused', pausedBy: { reason: 'budget' } },
      ]);
    }
    expect(await scene.dispatcher.runOnce()).toBe(0);
    await healthy();
    await scene.pass(minute);
    await scene.check();
    await scene.dispatcher.runOnce();
    for (const runId of [fresh, fork]) expect(await scene.state(runId)).toEqual(['succeeded', null]);
    await healthy();
  });

  test('pauses a start that waits for its turn or for a slot, and keeps its wait', async () => {
    const policy = { budget, throttle: { limit: 1, perMs: 1_000 }, concurrency: { limit: 1 } };
    const scene = await openScene(service, policy, { clock });
    await scene.after(spend(100));
    await scene.check();
    const early = await scene.start(spend(1));
    expect(await scene.state(early)).toEqual(['paused', 'budget']);
    expect(await scene.work(early)).toMatchObject({ state: 'paused', resumeState: 'parked', dueAt: expect.any(Date) });
    await scene.pass(minute);
    await scene.check();
    expect(await scene.state(early)).toEqual(['queued', null]);
    await scene.dispatcher.runOnce();
    expect(await scene.state(early)).toEqual(['succeeded', null]);
    await healthy();
  });

  test('pauses runs that a person resumed since the last check', async () => {
    const scene = await openScene(service, { budget }, { clock });
    const late = await scene.start(spend(1));
    await scene.pause(late);
    await scene.after(spend(100));
    await scene.check();
    await scene.resume(late);
    expect(await scene.state(late)).toEqual(['queued', null]);
    await scene.check();
    expect(await scene.state(late)).toEqual(['paused', 'budget']);
  });

  test('never resumes a run that a person paused, before or after', async () => {
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(100));
    const [before, after, flying] = [await scene.start(), await scene.start(), await scene.start(spend(1), spend(1))];
    await scene.pause(before);
    await scene.check();
    expect(await scene.state(after)).toEqual(['paused', 'budget']);
    const answered = await scene.pause(after);
    expect(answered).toMatchObject({ status: 'paused', pausedReason: 'manual', pausedActor: 'a person' });
    await scene.pause(flying);
    await scene.pass(minute);
    await scene.check();
    for (const runId of [before, after, flying]) expect(await scene.state(runId)).toEqual(['paused', 'manual']);
    await scene.resume(after);
    await scene.dispatcher.runOnce();
    expect(await scene.state(after)).toEqual(['succeeded', null]);
    await healthy();
  });

  test('withdraws a pause that has not taken effect', async () => {
    const scene = await openScene(service, { budget }, { clock });
    await scene.after(spend(100));
    const flying = await scene.start({ sleepMs: 1 });
    await scene.dispatcher.claim();
    await scene.check();
    expect(await scene.work(flying)).toMatchObject({ state: 'leased', pausing: true });
    await scene.pass(minute);
    await scene.check();
    expect(await scene.work(flying)).toMatchObject({ state: 'leased', pausing: false });
    expect(await scene.state(flying)).toEqual(['running', null]);
    await healthy();
  });

  test('counts the cost of priced calls only, and sums it as decimals', async () => {
    const scene = await openScene(service, { budget: { maxCost: 1, windowMs: minute } }, { clock });
    await scene.after(spend(1_000_000), ...Array.from({ length: 9 }, () => spend(1, 0.1)));
    const queued = await scene.start();
    await scene.check();
    expect(await scene.state(queued)).toEqual(['queued', null]);
    await scene.dispatcher.runOnce();
    await scene.after(spend(1, 0.1));
    const late = await scene.start();
    await scene.check();
    expect(await scene.state(late)).toEqual(['paused', 'budget']);
  });

  test('does not affect other workflows, apps and projects', async () => {
    const [spent, other] = [
      await openScene(service, { budget }, { clock }),
      await openScene(service, { budget }, { clock }),
    ];
    await spent.after(spend(100));
    const queued = await other.start(spend(1));
    await spent.check();
    expect(await other.state(queued)).toEqual(['queued', null]);
  });

  test('warns once per crossing, in the journals of executing runs', async () => {
    const scene = await openScene(service, { budget: { ...budget, warnAtPct: 80 } }, { clock });
    const asleep = await scene.after({ sleepMs: 10 * minute });
    await scene.after(spend(79));
    const flying = await scene.start(spend(1), { sleepMs: 10 * minute });
    await scene.check();
    const [pass] = await scene.dispatcher.claim();
    await scene.after(spend(1));
    await scene.check();
    await scene.check();
    const warnings = await scene.frames(flying, 'log');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.payload).toEqual({
      level: 'warn',
      message: '80 % of the budget of the workflow is spent',
      fields: { tokens: 80, maxTokens: 100, windowMs: minute, warnAtPct: 80 },
      scope: '@root',
      attempt: 1,
    });
    expect(await scene.frames(asleep, 'log')).toEqual([]);
    if (pass) await scene.dispatcher.drive(pass);
    await scene.pass(minute);
    await scene.check();
    await scene.after(spend(90));
    await scene.start(spend(1), { sleepMs: 1 });
    await scene.dispatcher.claim();
    await scene.check();
    const { rows } = await service.db.query(
      `select count(*)::int as n from run_frame join run on run.id = run_id where kind = 'log' and project_id = '${scene.projectId}'`,
    );
    expect(rows).toEqual([{ n: 2 }]);
    await healthy();
  });
});
