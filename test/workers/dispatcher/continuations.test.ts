import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DispatcherOptions } from '../../../src/workers/dispatcher/options.ts';
import { ScriptedSite } from './kit/scriptedSite.ts';
import type { SocketRunner } from './kit/socketRunner.ts';

let site: ScriptedSite;
afterEach(() => site.close());

const members = '"steps":{"a":{"ok":true}}';

/** A site whose runs continue for ever, and a runner that holds handlers. */
async function open(options: Partial<DispatcherOptions> = {}): Promise<SocketRunner> {
  site = await ScriptedSite.open({ options });
  site.work.onSettle = ({ reply }) => (reply.kind === 'answer' && reply.status === 200 ? 'released' : 'again');
  site.work.continueText = () => members;
  return connected('holds');
}

async function connected(runner: string, features: string[] = ['continue']): Promise<SocketRunner> {
  const socket = site.connect();
  await socket.ready({ runner, features });
  return socket;
}

/** Answers that steps were found, and that the handler is held. */
const hold = (runner: SocketRunner, { id }: { id: string }): void =>
  runner.send({ type: 'result', id, status: 206, held: true, body: { opcodes: [], logs: [] } });

async function ends(runId: string | undefined): Promise<void> {
  await site.work.settlements.next(
    (each) => each.runId === runId && each.reply.kind === 'answer' && each.reply.status === 200,
  );
}

describe('a pass whose runner holds its handler', () => {
  it('H1: is continued by what is new, again and again, and its answers are settled like those of full passes', async () => {
    const runner = await open();
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    hold(runner, invoke);
    const first = await runner.next('continue');
    expect(first).toEqual({ type: 'continue', id: expect.any(String), of: invoke.id, steps: { a: { ok: true } } });
    expect(site.dispatcher.stats()).toMatchObject({ invoked: 1 });
    hold(runner, first);
    const second = await runner.next('continue');
    expect(second.of).toBe(first.id);
    runner.answer(second);
    await ends(runId);
    expect(runner.frames.all.map(({ type }) => type)).toEqual(['ready', 'invoke', 'continue', 'continue']);
    const isHeld = site.work.settlements.all.map(({ reply }) => reply.kind === 'answer' && reply.isHeld);
    expect(isHeld).toEqual([true, true, undefined]);
    expect(site.dispatcher.stats().invokes).toEqual({ full: 1, continued: 2, lost: 0 });
  });

  it('P4: an answer to the invoke that was continued is ignored', async () => {
    const runner = await open();
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    hold(runner, invoke);
    const next = await runner.next('continue');
    runner.answer(invoke, 200, { data: 'late' });
    await vi.waitFor(() => expect(site.dispatcher.stats().ignoredAnswers).toBe(1));
    runner.answer(next, 200, { data: 'right' });
    await ends(runId);
    expect(site.work.settlements.all.at(-1)?.reply).toMatchObject({ body: '{"data":"right"}' });
  });

  it('H5: is sent in full at once, at no cost, if the runner has let go of it', async () => {
    const runner = await open();
    const [runId] = site.enqueue();
    hold(runner, await runner.next('invoke'));
    const next = await runner.next('continue');
    runner.send({ type: 'lost', id: next.id });
    const again = await runner.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    expect(site.work.settlements.all).toHaveLength(1);
    // It comes late, and twice: the invoke had ended.
    runner.send({ type: 'lost', id: next.id });
    runner.answer(again);
    await ends(runId);
    expect(site.dispatcher.stats().invokes).toEqual({ full: 2, continued: 1, lost: 1 });
  });

  it('H4: is sent in full if the engine cannot tell what is new, and the handler is cancelled', async () => {
    const runner = await open();
    site.work.continueText = () => undefined;
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    hold(runner, invoke);
    const again = await runner.next('invoke');
    expect(await runner.next('cancel')).toMatchObject({ id: invoke.id });
    runner.answer(again);
    await ends(runId);
  });

  it('H3: is sent in full wherever the service refuses', async () => {
    const runner = await open({ mayContinue: () => false });
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    hold(runner, invoke);
    expect(await runner.next('cancel')).toMatchObject({ id: invoke.id });
    runner.answer(await runner.next('invoke'));
    await ends(runId);
  });

  it('H2, H6: goes in full to another runner if the socket is lost, before the commit or after the continuation', async () => {
    const first = await open();
    let settle: (() => void) | undefined;
    const settling = new Promise<void>((resolve) => {
      settle = resolve;
    });
    site.work.onSettle = async ({ reply }) => {
      if (reply.kind === 'answer' && reply.status === 206) await settling;
      return reply.kind === 'answer' && reply.status === 200 ? 'released' : 'again';
    };
    const [runId] = site.enqueue();
    hold(first, await first.next('invoke'));
    await site.work.settlements.next();
    first.vanish();
    await vi.waitFor(() => expect(site.dispatcher.stats().sockets).toBe(0));
    const second = await connected('second');
    settle?.();
    hold(second, await second.next('invoke'));
    await second.next('continue');
    const third = await connected('third');
    second.vanish();
    const again = await third.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    third.answer(again);
    await ends(runId);
  });

  it('H3: is released, and its handler cancelled, when a pause arrives between two passes', async () => {
    const runner = await open();
    const [runId = ''] = site.enqueue();
    const invoke = await runner.next('invoke');
    site.work.onSettle = () => {
      site.engine.bus.emit('run.pausing', { runId });
      return 'again';
    };
    hold(runner, invoke);
    expect(await runner.next('cancel')).toMatchObject({ id: invoke.id });
    await site.work.released.next((each) => each === runId);
    expect(runner.frames.all.map(({ type }) => type)).not.toContain('continue');
  });

  it('H1, H3: is forgotten, and its handler cancelled, if its lease is lost by the commit', async () => {
    const runner = await open();
    site.enqueue();
    const invoke = await runner.next('invoke');
    site.work.onSettle = () => 'released';
    hold(runner, invoke);
    expect(await runner.next('cancel')).toMatchObject({ id: invoke.id });
    expect(site.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 });
  });

  it('H1: keeps its slot until the runner has finished, if its run is cancelled while it is continued', async () => {
    const runner = await open();
    const [runId = ''] = site.enqueue();
    hold(runner, await runner.next('invoke'));
    const next = await runner.next('continue');
    site.engine.bus.emit('run.cancelled', { runId, reason: 'by hand' });
    expect(await runner.next('cancel')).toMatchObject({ id: next.id });
    expect(site.dispatcher.stats()).toMatchObject({ held: 0, invoked: 1 });
    runner.send({ type: 'lost', id: next.id });
    await vi.waitFor(() => expect(site.dispatcher.stats()).toMatchObject({ invoked: 0 }));
  });

  it('H2: goes in full to another runner, at no cost, if its own closes', async () => {
    const closing = await open();
    const [runId] = site.enqueue();
    hold(closing, await closing.next('invoke'));
    await closing.next('continue');
    const other = await connected('other');
    closing.send({ type: 'drain', inFlight: [] });
    const again = await other.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    other.answer(again);
    await ends(runId);
  });

  it('is sent in full by a service that was not asked to continue, whatever the answer says', async () => {
    site = await ScriptedSite.open();
    site.work.onSettle = ({ reply }) => (reply.kind === 'answer' && reply.status === 200 ? 'released' : 'again');
    site.work.continueText = () => members;
    const runner = await connected('plain', []);
    const [runId] = site.enqueue();
    hold(runner, await runner.next('invoke'));
    runner.answer(await runner.next('invoke'));
    await ends(runId);
  });
});

describe('a socket is closed as malformed', () => {
  it('for a `lost` about an invoke that continued no handler', async () => {
    const runner = await open();
    site.enqueue();
    const { id } = await runner.next('invoke');
    runner.send({ type: 'lost', id });
    expect(await runner.closed).toMatchObject({ code: 4400 });
  });

  it('for a `lost` that was not agreed on, or without an id', async () => {
    await open();
    const plain = await connected('plain', []);
    plain.send({ type: 'lost', id: 'x' });
    expect(await plain.closed).toMatchObject({ code: 4400 });
    const other = await connected('other');
    other.send({ type: 'lost' });
    expect(await other.closed).toMatchObject({ code: 4400 });
  });
});
