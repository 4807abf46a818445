import { afterEach, describe, expect, it, vi } from 'vitest';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { Notifier } from '../../../src/engine/notify/index.ts';
import { idOf } from '../../support/scriptedRunner.ts';
import { ScriptedSite } from './kit/scriptedSite.ts';
import { type Post, Site } from './kit/site.ts';
import type { SocketRunner } from './kit/socketRunner.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

const order = { app: 'shop', workflows: [{ name: 'order' }] };
const longWait = { timeout: 10_000 };
const opcode = (name: string) => ({ opcodes: [{ op: 'StepRun', id: idOf(name), name, data: 1 }], logs: [] });

const runsOf = (runner: SocketRunner): (string | undefined)[] =>
  runner.frames.all.flatMap((frame) => (frame.type === 'invoke' ? [frame.request.ctx.runId] : []));

/**
 * A process with two runners of one slot each: `busy` has another run, and `lost` has just done the
 * first step of ours.
 */
async function betweenSteps(site: Site, post: Post) {
  const [lost, busy] = [site.connect(post), site.connect(post)];
  await lost.ready({ ...order, runner: 'lost', maxInFlight: 1 });
  const runId = await site.trigger(post.engine);
  lost.answer(await lost.next('invoke'), 206, opcode('a'));
  await lost.next('invoke');
  await busy.ready({ ...order, runner: 'busy', maxInFlight: 1 });
  const other = await site.trigger(post.engine);
  const held = await busy.next('invoke');
  return { runId, other, lost, busy, held };
}

async function openSite(): Promise<Site> {
  const site = await Site.open();
  closing.push(site);
  return site;
}

const isPaused = (site: Site, runId: string) =>
  vi.waitFor(async () => expect((await site.run(runId)).status).toBe('paused'), longWait);

describe('a run that is paused while its pass waits for a free runner', () => {
  it('P6: stops at once: no step begins after the pause was accepted', async () => {
    const site = await openSite();
    const post = await site.startDispatcher({ waitMs: 60_000 });
    const { runId, other, lost, busy, held } = await betweenSteps(site, post);
    lost.vanish();
    await vi.waitFor(() => expect(post.dispatcher.stats().waiting).toBe(1), longWait);
    const call = { projectId: site.projectId, runId, actor: 'ops' };
    expect(await pauseRun(post.engine, call)).toMatchObject({ status: 'running', pausedReason: 'manual' });
    await isPaused(site, runId);
    busy.answer(held, 200, { data: null, logs: [] });
    await vi.waitFor(async () => expect((await site.run(other)).status).toBe('succeeded'), longWait);
    expect(runsOf(busy)).toEqual([other]);
    await resumeRun(post.engine, call);
    const next = await busy.next('invoke');
    expect(next.request).toMatchObject({ ctx: { runId }, steps: { [idOf('a')]: { data: 1 } } });
  });

  it('stops also when another process accepted the pause', async () => {
    const site = await openSite();
    const post = await site.startDispatcher({ waitMs: 60_000 });
    const notifiers = [post.engine, site.engine].map((engine) => new Notifier(engine, site.databaseUrl));
    for (const notifier of notifiers) {
      await notifier.start();
      closing.push({ close: () => notifier.stop() });
    }
    const { runId, lost } = await betweenSteps(site, post);
    lost.vanish();
    await vi.waitFor(() => expect(post.dispatcher.stats().waiting).toBe(1), longWait);
    await pauseRun(site.engine, { projectId: site.projectId, runId, actor: 'ops' });
    await isPaused(site, runId);
  });
});

describe('a run that is paused while a runner executes its step', () => {
  it('stops when that runner disconnects, and is not sent to another', async () => {
    const site = await openSite();
    const post = await site.startDispatcher({ waitMs: 60_000 });
    const { runId, other, lost, busy, held } = await betweenSteps(site, post);
    await pauseRun(post.engine, { projectId: site.projectId, runId, actor: 'ops' });
    busy.answer(held, 200, { data: null, logs: [] });
    await vi.waitFor(async () => expect((await site.run(other)).status).toBe('succeeded'), longWait);
    lost.vanish();
    await isPaused(site, runId);
    expect(runsOf(busy)).toEqual([other]);
  });
});

describe('a run that is paused while its claim is in progress', () => {
  it('P6: is released without being sent, once', async () => {
    const scripted = await ScriptedSite.open();
    closing.push(scripted);
    const runner = scripted.connect();
    await runner.ready();
    scripted.work.onClaim = () => scripted.engine.bus.emit('run.pausing', { runId: 'run-1' });
    const [first] = scripted.enqueue();
    expect(await scripted.work.released.next((runId) => runId === first)).toBe(first);
    expect(runsOf(runner)).toEqual([]);
    scripted.work.onClaim = () => undefined;
    scripted.work.ready.set(scripted.lanes.id(scripted.projectId), ['run-1']);
    scripted.engine.bus.emit('work.ready', { laneIds: [scripted.lanes.id(scripted.projectId)] });
    expect((await runner.next('invoke')).request.ctx.runId).toBe('run-1');
  });

  it('is released if its answer was committed just before', async () => {
    const scripted = await ScriptedSite.open();
    closing.push(scripted);
    const runner = scripted.connect();
    await runner.ready();
    scripted.work.onSettle = ({ runId }) => {
      scripted.engine.bus.emit('run.pausing', { runId });
      return 'again';
    };
    const [runId] = scripted.enqueue();
    runner.answer(await runner.next('invoke'));
    expect(await scripted.work.released.next((each) => each === runId)).toBe(runId);
    expect(runsOf(runner)).toHaveLength(1);
  });
});
