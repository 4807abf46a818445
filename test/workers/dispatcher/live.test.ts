import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { registerRunner } from '../../../src/engine/runners/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { verify } from '../../../src/engine/signing/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { readFrames } from '../../support/frames.ts';
import { idOf } from '../../support/scriptedRunner.ts';
import { TestHttpRunner } from './kit/httpRunner.ts';
import { passUntil } from './kit/passUntil.ts';
import { Site } from './kit/site.ts';
import type { SocketRunner } from './kit/socketRunner.ts';

let site: Site;
afterEach(() => site.close());

const order = { app: 'shop', workflows: [{ name: 'order' }] };
const longWait = { timeout: 10_000 };

const step = (name: string, data: unknown) => ({
  opcodes: [{ op: 'StepRun', id: idOf(name), name, data }],
  logs: [],
});

/** Answers one pass after the other: a step each, then the end. */
async function executeSteps(runner: SocketRunner, names: readonly string[]): Promise<void> {
  for (const name of names) runner.answer(await runner.next('invoke'), 206, step(name, name.toUpperCase()));
  runner.answer(await runner.next('invoke'), 200, { data: { done: true }, logs: [] });
}

const succeeded = (runId: string) =>
  vi.waitFor(async () => expect((await site.run(runId)).status).toBe('succeeded'), longWait);

describe('a run', () => {
  it('is executed step by step over a socket, with the memo of all former steps in each invoke', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const runner = site.connect(post);
    await runner.ready({ ...order, runner: 'r1' });
    const runId = await site.trigger(post.engine);
    await executeSteps(runner, ['a', 'b', 'c']);
    await succeeded(runId);
    expect((await site.run(runId)).result).toEqual({ done: true });
    const invokes = runner.frames.all.flatMap((frame) => (frame.type === 'invoke' ? [frame.request] : []));
    expect(invokes.map(({ steps }) => Object.keys(steps).length)).toEqual([0, 1, 2, 3]);
    expect(invokes[3]?.steps[idOf('b')]).toEqual({ data: 'B' });
    expect(invokes[0]?.ctx).toMatchObject({ runId, workflow: 'order', app: 'shop', runner: '', attempt: 1 });
    const frames = await readFrames(site.engine, { projectId: site.projectId, runId });
    expect(frames.at(-1)).toMatchObject({ kind: 'run_status', payload: expect.stringContaining('succeeded') });
  });

  it('is executed by an HTTP runner, whose invokes are signed with the secret of its registration', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const runner = await TestHttpRunner.open();
    const registration = { ...order, url: runner.url, runner: 'web' };
    const { invokeSecret } = await registerRunner(post.engine, { projectId: site.projectId, registration });
    runner.respond = ({ body }, response) => {
      const { steps } = JSON.parse(body);
      const isDone = Object.keys(steps).length === 1;
      response.writeHead(isDone ? 200 : 206).end(JSON.stringify(isDone ? { data: 7, logs: [] } : step('a', 1)));
    };
    const runId = await site.trigger(post.engine);
    await succeeded(runId);
    expect(runner.posts).toHaveLength(2);
    for (const { body, headers } of runner.posts) {
      const header = String(headers['x-service-signature']);
      expect(verify({ secrets: [invokeSecret], header, body, now: new Date(), toleranceMs: 300_000 })).toBe(true);
    }
    await runner.close();
  });

  it('pinned to a runner is sent only there, from the process that has its socket', async () => {
    site = await Site.open();
    const [here, there] = [await site.startDispatcher(), await site.startDispatcher()];
    const [pinned, other] = [site.connect(there), site.connect(here)];
    await pinned.ready({ ...order, runner: 'gpu' });
    await other.ready({ ...order, runner: 'cpu' });
    const runId = await site.trigger(here.engine, { runner: 'gpu' });
    await executeSteps(pinned, ['a']);
    await succeeded(runId);
    expect(other.frames.all.some(({ type }) => type === 'invoke')).toBe(false);
  });

  it('started by a process without dispatchers is found by polling', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const runner = site.connect(post);
    await runner.ready(order);
    const runId = await site.trigger();
    await executeSteps(runner, []);
    await succeeded(runId);
  });

  it('whose runner disconnects continues with another at once, and repeats no finished step', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const [first, second] = [site.connect(post), site.connect(post)];
    await first.ready({ ...order, runner: 'a' });
    const runId = await site.trigger(post.engine);
    first.answer(await first.next('invoke'), 206, step('a', 1));
    await first.next('invoke');
    await second.ready({ ...order, runner: 'b' });
    first.vanish();
    const again = await second.next('invoke');
    expect(again.request.steps).toEqual({ [idOf('a')]: { data: 1 } });
    second.answer(again, 200, { data: null, logs: [] });
    await succeeded(runId);
  });

  it('cancelled by another process is cancelled under its pass', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const runner = site.connect(post);
    await runner.ready(order);
    const runId = await site.trigger(post.engine);
    const invoke = await runner.next('invoke');
    await cancelRun(site.engine, { projectId: site.projectId, runId, actor: 'ops' });
    expect((await runner.next('cancel')).id).toBe(invoke.id);
    runner.answer(invoke, 200, { data: 'too late', logs: [] });
    await vi.waitFor(() => expect(post.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 }));
    expect(await site.run(runId)).toMatchObject({ status: 'cancelled', result: null });
  });

  it('a result that comes twice is recorded once', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    const runner = site.connect(post);
    await runner.ready(order);
    const runId = await site.trigger(post.engine);
    const first = await runner.next('invoke');
    for (let i = 0; i < 10; i++) runner.answer(first, 206, step('a', i));
    const second = await runner.next('invoke');
    expect(second.request.steps).toEqual({ [idOf('a')]: { data: 0 } });
    runner.answer(first, 200, { data: 'stale', logs: [] });
    runner.answer(second, 200, { data: 'fresh', logs: [] });
    await succeeded(runId);
    expect((await site.run(runId)).result).toBe('fresh');
    expect(await site.engine.db.prisma.runStep.count({ where: { runId } })).toBe(1);
  });
});

describe('a run whose memo exceeds the limit', () => {
  it('fails with a reason that names the limit, instead of being sent', async () => {
    site = await Site.open();
    const first = await site.startDispatcher({ drainMs: 50 });
    const runner = site.connect(first);
    await runner.ready({ ...order, runner: 'a' });
    const runId = await site.trigger(first.engine);
    runner.answer(await runner.next('invoke'), 206, step('a', 'x'.repeat(2_000)));
    await runner.next('invoke');
    await first.dispatcher.stop();
    const limits = { ...defaultEngineSettings.limits, memoMaxBytes: 1_000 };
    const strict = await site.startDispatcher({}, { limits });
    const other = site.connect(strict);
    await other.ready({ ...order, runner: 'b' });
    await vi.waitFor(async () => expect((await site.run(runId)).status).toBe('failed'), longWait);
    expect((await site.run(runId)).error).toMatchObject({ message: expect.stringContaining('MEMO_MAX_BYTES') });
    expect(other.frames.all.map(({ type }) => type)).toEqual(['ready']);
  });
});

describe('with two dispatchers', () => {
  it('a silent one loses its runs to the other, and its late commits change nothing', async () => {
    const clock = new ManualClock();
    site = await Site.open({ clock });
    // The dispatcher beats once, and never again, as if it had stopped.
    const silent = await site.startDispatcher({ tickMs: 1_000_000_000, pollMs: 1_000_000_000 });
    const alive = await site.startDispatcher();
    const [first, second] = [site.connect(silent), site.connect(alive)];
    await first.ready({ ...order, runner: 'a' });
    const runId = await site.trigger(silent.engine);
    const stale = await first.next('invoke');
    await second.ready({ ...order, runner: 'b' });
    const lease = () => site.engine.db.prisma.runWork.findUniqueOrThrow({ where: { runId } });
    const { leaseId } = await lease();
    await passUntil(clock, async () => expect((await lease()).leaseId).not.toBe(leaseId));
    const invoke = await second.next('invoke');
    expect(invoke.request.ctx.runId).toBe(runId);
    first.answer(stale, 206, step('a', 'stale'));
    await vi.waitFor(() => expect(silent.dispatcher.stats().held).toBe(0));
    second.answer(invoke, 206, step('a', 'fresh'));
    second.answer(await second.next('invoke'), 200, { data: null, logs: [] });
    await succeeded(runId);
    const rows = await site.engine.db.prisma.runStep.findMany({ where: { runId } });
    expect(rows.map(({ output }) => output)).toEqual(['fresh']);
  });

  it('one that was found dead returns under a new id, with its runners', async () => {
    const clock = new ManualClock();
    site = await Site.open({ clock });
    const sleeper = await site.startDispatcher({ tickMs: 2_000 });
    const other = await site.startDispatcher();
    const runner = site.connect(sleeper);
    await runner.ready({ ...order, runner: 'a' });
    const before = await site.engine.db.prisma.dispatcher.findMany({ select: { id: true } });
    expect(before).toHaveLength(2);
    const known = new Set(before.map(({ id }) => id));
    // Between two of its beats: the other, which beats often, sees many seconds of silence.
    await passUntil(clock, async () => {
      const after = await site.engine.db.prisma.dispatcher.findMany({ select: { id: true } });
      expect(after.filter(({ id }) => !known.has(id))).toHaveLength(1);
    });
    await vi.waitFor(async () => {
      const [row] = await site.engine.db.prisma.runner.findMany();
      expect(row?.connected).toBe(true);
    }, longWait);
    const runId = await site.trigger(other.engine);
    await executeSteps(runner, ['a']);
    await succeeded(runId);
  });

  it('W1: a runner that reconnects to one is closed by the other, and its passes are sent again', async () => {
    site = await Site.open();
    const [before, after] = [await site.startDispatcher(), await site.startDispatcher()];
    const first = site.connect(before);
    await first.ready({ ...order, runner: 'twin' });
    const runId = await site.trigger(before.engine);
    await first.next('invoke');
    const second = site.connect(after);
    await second.ready({ ...order, runner: 'twin' });
    expect((await first.closed).code).toBe(4410);
    const invoke = await second.next('invoke');
    expect(invoke.request.ctx.runId).toBe(runId);
    second.answer(invoke, 200, { data: null, logs: [] });
    await succeeded(runId);
  });

  it('one that stops waits for the passes of a runner that has connected to the other already', async () => {
    site = await Site.open();
    const [leaving, staying] = [await site.startDispatcher({ drainMs: 5_000 }), await site.startDispatcher()];
    const first = site.connect(leaving);
    await first.ready({ ...order, runner: 'twin' });
    const runId = await site.trigger(leaving.engine);
    const invoke = await first.next('invoke');
    const stopped = leaving.dispatcher.stop();
    await first.next('drain');
    const second = site.connect(staying);
    await second.ready({ ...order, runner: 'twin' });
    const next = await site.trigger(staying.engine);
    const { id, request } = await second.next('invoke');
    expect(request.ctx.runId).toBe(next);
    second.answer({ id });
    await succeeded(next);
    first.answer(invoke);
    await succeeded(runId);
    await stopped;
    expect((await first.closed).code).toBe(1012);
    expect(second.frames.all.filter(({ type }) => type === 'invoke')).toHaveLength(1);
    expect(await site.engine.db.prisma.runner.findMany()).toMatchObject([{ runnerId: 'twin', connected: true }]);
  });

  it('one that stops releases its runs at once', async () => {
    site = await Site.open();
    const [leaving, staying] = [await site.startDispatcher({ drainMs: 50 }), await site.startDispatcher()];
    const [first, second] = [site.connect(leaving), site.connect(staying)];
    await first.ready({ ...order, runner: 'a' });
    const runId = await site.trigger(leaving.engine);
    await first.next('invoke');
    await second.ready({ ...order, runner: 'b' });
    await leaving.dispatcher.stop();
    const invoke = await second.next('invoke');
    expect(invoke.request.ctx.runId).toBe(runId);
    second.answer(invoke, 200, { data: null, logs: [] });
    await succeeded(runId);
    const rows = await site.engine.db.prisma.runner.findMany({ orderBy: { runnerId: 'asc' } });
    expect(rows.map(({ connected }) => connected)).toEqual([false, true]);
  });
});

describe('many runners', () => {
  it('that disconnect and reconnect at once lose no run', async () => {
    site = await Site.open();
    const post = await site.startDispatcher();
    // A run whose sockets dropped twice in a row waits a moment: its timer must fire.
    const scheduler = new Scheduler(post.engine);
    scheduler.start();
    const runIds: string[] = [];
    const work = (runner: SocketRunner): void => {
      runner.ws.on('message', (data) => {
        const frame = JSON.parse(String(data));
        if (frame.type === 'invoke') runner.answer(frame);
      });
    };
    for (let wave = 0; wave < 3; wave++) {
      const runners = Array.from({ length: 100 }, () => site.connect(post));
      for (const runner of runners) work(runner);
      await Promise.all(runners.map((runner, i) => runner.ready({ ...order, runner: `r${i}` })));
      runIds.push(...(await Promise.all(Array.from({ length: 50 }, () => site.trigger(post.engine)))));
      if (wave < 2) for (const runner of runners) runner.vanish();
    }
    await vi.waitFor(
      async () => {
        const done = await site.engine.db.prisma.run.count({ where: { id: { in: runIds }, status: 'succeeded' } });
        expect(done).toBe(150);
      },
      { timeout: 20_000, interval: 100 },
    );
    await vi.waitFor(() => expect(post.dispatcher.stats()).toMatchObject({ sockets: 100, ready: 100, held: 0 }));
    await scheduler.stop();
  });
});
