import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApiKey, revokeApiKey } from '../../../src/engine/keys/index.ts';
import { keyRing } from '../../../src/engine/keys/keyRing.ts';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
afterEach(() => site.close());

describe('heartbeat', () => {
  it('pings a ready runner again and again, and keeps it while it answers', async () => {
    site = await ScriptedSite.open({ settings: { runnerHeartbeatMs: 40, runnerLivenessMs: 1_000 } });
    const runner = site.connect();
    await runner.ready();
    for (let i = 0; i < 5; i++) await runner.next('ping');
    expect(site.dispatcher.stats().ready).toBe(1);
  });

  it('evicts a silent runner with 4408, and its passes go elsewhere', async () => {
    site = await ScriptedSite.open({ settings: { runnerHeartbeatMs: 40, runnerLivenessMs: 300 } });
    const [silent, other] = [site.connect(), site.connect()];
    await silent.ready({ runner: 'silent' });
    silent.answersPings = false;
    const [runId] = site.enqueue();
    site.work.onSettle = ({ reply }) => (reply.kind === 'transport' ? 'again' : 'released');
    await silent.next('invoke');
    await other.ready({ runner: 'other' });
    expect((await silent.next('error')).error).toContain('silent for 300 ms');
    expect((await silent.closed).code).toBe(4408);
    const again = await other.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    other.answer(again);
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
  });

  it('counts every frame as a sign of life', async () => {
    site = await ScriptedSite.open({ settings: { runnerHeartbeatMs: 40, runnerLivenessMs: 300 } });
    const runner = site.connect();
    await runner.ready();
    runner.answersPings = false;
    for (let i = 0; i < 10; i++) {
      await runner.next('ping');
      runner.send({ type: 'result', id: 'whatever', status: 200, body: null });
    }
    expect(site.dispatcher.stats().ready).toBe(1);
  });

  it('does not count the time in which the process itself stood still as silence', async () => {
    site = await ScriptedSite.open({ settings: { runnerHeartbeatMs: 40, runnerLivenessMs: 300 } });
    const runner = site.connect();
    await runner.ready();
    await runner.next('ping');
    const until = performance.now() + 700;
    while (performance.now() < until);
    await runner.next('ping');
    await runner.next('ping');
    expect(site.dispatcher.stats().ready).toBe(1);
  });

  it('closes a socket that says no hello in time', async () => {
    site = await ScriptedSite.open({ options: { helloTimeoutMs: 100 } });
    const runner = site.connect();
    expect((await runner.next('error')).error).toContain('no hello');
    expect((await runner.closed).code).toBe(4408);
  });

  it('that is overdue makes a runner the second choice, long before it is evicted', async () => {
    // On a busy machine the pong of the good one takes its time, too.
    site = await ScriptedSite.open({ settings: { runnerHeartbeatMs: 100, runnerLivenessMs: 3_000 } });
    const [silent, good] = [site.connect(), site.connect()];
    await Promise.all([silent.ready({ runner: 'silent' }), good.ready({ runner: 'good' })]);
    silent.answersPings = false;
    for (let i = 0; i < 16; i++) await good.next('ping');
    site.enqueue(6);
    for (let i = 0; i < 6; i++) good.answer(await good.next('invoke'));
    await vi.waitFor(() => expect(site.work.settlements.all).toHaveLength(6));
  });

  it('records in the registry which runners were heard, many at once', async () => {
    site = await ScriptedSite.open({ settings: { runnerHeartbeatMs: 50 } });
    const runners = [site.connect(), site.connect()];
    await Promise.all(runners.map((runner, i) => runner.ready({ runner: `r${i}` })));
    const ids = site.registry.registrations.all.map(({ connectionId }) => connectionId);
    for (const id of ids) await site.registry.touched.next((each) => each === id);
  });
});

describe('a slow reader', () => {
  it('gets a bounded amount of data, and is cut off if it never reads', async () => {
    site = await ScriptedSite.open({
      settings: { runnerHeartbeatMs: 50, runnerLivenessMs: 400 },
      options: { congestedBytes: 64 * 1024 },
    });
    const large = 'x'.repeat(1024 * 1024);
    site.work.invokeText = (runId) => `{"event":{"name":"e","data":"${large}"},"steps":{},"ctx":{"runId":"${runId}"}}`;
    const runner = site.connect();
    await runner.ready({ maxInFlight: 10_000 });
    runner.ws.pause();
    site.enqueue(200);
    site.work.onSettle = () => 'released';
    const closed = vi.waitFor(() => expect(site.dispatcher.stats().sockets).toBe(0), { timeout: 10_000 });
    await closed;
    // The kernel's buffers, and one invoke beyond the limit: not all 200.
    expect(site.work.settlements.all.length).toBeLessThan(30);
  });

  it('is kept while it receives data, even during an invoke longer than the limit of silence', async () => {
    site = await ScriptedSite.open({
      settings: { runnerHeartbeatMs: 50, runnerLivenessMs: 1_000 },
      options: { congestedBytes: 64 * 1024 },
    });
    const large = 'x'.repeat(64 * 1024 * 1024);
    site.work.invokeText = (runId) => `{"event":{"name":"e","data":"${large}"},"steps":{},"ctx":{"runId":"${runId}"}}`;
    const runner = site.connect();
    await runner.ready();
    // A slow link: some bytes now and then, for three times the limit.
    const until = performance.now() + 3_000;
    runner.ws.pause();
    const [runId] = site.enqueue();
    await vi.waitFor(() => expect(site.dispatcher.stats().invoked).toBe(1));
    while (performance.now() < until) {
      runner.ws.resume();
      await new Promise((resolve) => setImmediate(resolve));
      runner.ws.pause();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(runner.frames.all.filter(({ type }) => type === 'invoke')).toEqual([]);
    runner.ws.resume();
    runner.answer(await runner.next('invoke'));
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply.kind).toBe('answer');
  });

  it('gets the rest once it reads again', async () => {
    site = await ScriptedSite.open({ options: { congestedBytes: 64 * 1024 } });
    const large = 'x'.repeat(1024 * 1024);
    site.work.invokeText = (runId) => `{"event":{"name":"e","data":"${large}"},"steps":{},"ctx":{"runId":"${runId}"}}`;
    const runner = site.connect();
    await runner.ready({ maxInFlight: 10_000 });
    runner.ws.pause();
    site.enqueue(40);
    await vi.waitFor(() => expect(site.dispatcher.stats().invoked).toBeGreaterThan(0));
    runner.ws.resume();
    for (let i = 0; i < 40; i++) runner.answer(await runner.next('invoke'));
    await vi.waitFor(() => expect(site.work.settlements.all).toHaveLength(40));
  });
});

describe('a key', () => {
  it('that is revoked closes its sockets with 4401, and no others', async () => {
    site = await ScriptedSite.open();
    const { apiKey, token } = await createApiKey(site.engine, {
      projectId: site.projectId,
      name: 'leaked',
      kind: 'secret',
    });
    const [good, bad] = [site.connect(), site.connect(token)];
    await Promise.all([good.ready({ runner: 'good' }), bad.ready({ runner: 'bad' })]);
    await revokeApiKey(site.engine, { id: apiKey.id });
    expect((await bad.closed).code).toBe(4401);
    expect(site.dispatcher.stats().ready).toBe(1);
  });

  it('that another process revoked closes its sockets at the next check', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready();
    await site.engine.db.prisma.apiKey.update({ where: { id: site.secret.id }, data: { revokedAt: new Date() } });
    await keyRing(site.engine).watch.runOnce();
    expect((await runner.closed).code).toBe(4401);
  });
});
