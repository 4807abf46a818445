import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HttpRunner } from '../../../src/engine/runners/index.ts';
import { TestHttpRunner } from './kit/httpRunner.ts';
import { ScriptedSite, type ScriptedSiteOptions } from './kit/scriptedSite.ts';

let site: ScriptedSite;
let healthy: TestHttpRunner;
let hanging: TestHttpRunner;
beforeEach(async () => {
  [healthy, hanging] = [await TestHttpRunner.open(), await TestHttpRunner.open()];
  hanging.respondToProbe = () => undefined;
});
afterEach(async () => {
  await site.close();
  await Promise.all([healthy.close(), hanging.close()]);
});

/** Runners that were silent for long, each at a path of its own. */
const silent = (count: number, { url }: { url: string }, name: string): Omit<HttpRunner, 'projectId'>[] =>
  Array.from({ length: count }, (_, at) => ({
    app: 'shop',
    runnerId: `${name}${at}`,
    connectionId: `${name}${at}`,
    url: `${url}/${at}`,
    workflows: ['order'],
    maxInFlight: 10,
    silentMs: 60_000,
  }));

async function open(runners: Omit<HttpRunner, 'projectId'>[], options: ScriptedSiteOptions): Promise<void> {
  site = await ScriptedSite.open(options);
  site.registry.http = runners.map((runner) => ({ ...runner, projectId: site.projectId }));
  site.engine.bus.emit('registry.changed', { projectId: site.projectId });
  await vi.waitFor(() => expect(site.dispatcher.stats().httpRunners).toBe(runners.length));
}

describe('HTTP runners that hang', () => {
  it('B2: do not delay finding those that answer, nor end their liveness', async () => {
    const runners = [...silent(300, hanging, 'hanging'), ...silent(20, healthy, 'healthy')];
    await open(runners, { settings: { runnerLivenessMs: 6_000 }, options: { probeMs: 1_000 } });
    await vi.waitFor(() => expect(site.dispatcher.stats().httpLive).toBe(20), { timeout: 10_000 });
    for (let turn = 1; turn <= 3; turn += 1) {
      await site.registry.touched.next((id) => id === 'healthy19');
      expect(site.dispatcher.stats().httpLive).toBe(20);
    }
    expect(site.registry.touched.all.filter((id) => id.startsWith('hanging'))).toEqual([]);
  });
});

describe('an HTTP runner that refuses', () => {
  it('H4: loses its route once the registry says that it is not live, and has it again when it answers', async () => {
    const runners = silent(1, hanging, 'gone');
    hanging.respondToProbe = (_, response) => void response.destroy();
    site = await ScriptedSite.open({ options: { probeMs: 100 } });
    site.registry.http = runners.map((runner) => ({ ...runner, projectId: site.projectId, silentMs: 90 }));
    site.engine.bus.emit('registry.changed', { projectId: site.projectId });
    await site.registry.missedOnes.next((id) => id === 'gone0');
    expect(site.dispatcher.stats().httpLive).toBe(1);
    site.registry.isGone = () => true;
    await vi.waitFor(() => expect(site.dispatcher.stats().httpLive).toBe(0));
    hanging.respondToProbe = (_, response) => void response.writeHead(200).end();
    await vi.waitFor(() => expect(site.dispatcher.stats().httpLive).toBe(1));
  });
});

describe('a probe', () => {
  it('waits for no invoke of its runner', async () => {
    const options = { probeMs: 500, httpSockets: 2, httpSocketsPerOrigin: 2 };
    const runners = silent(1, healthy, 'busy').map((runner) => ({ ...runner, maxInFlight: 2, silentMs: 0 }));
    await open(runners, { settings: { runnerLivenessMs: 3_000 }, options });
    healthy.respond = () => undefined;
    site.enqueue(2);
    await Promise.all([healthy.post(), healthy.post()]);
    for (let turn = 1; turn <= 3; turn += 1) await site.registry.touched.next((id) => id === 'busy0');
    expect(site.dispatcher.stats()).toMatchObject({ httpLive: 1, invoked: 2 });
  });

  it('B1: is sent to each of hundreds soon, although none answers', { timeout: 30_000 }, async () => {
    await open(silent(600, hanging, 'hanging'), { options: { probeMs: 3_000 } });
    const asked = () => new Set(hanging.calls.all.map(({ path }) => path)).size;
    await vi.waitFor(() => expect(asked()).toBe(600), { timeout: 15_000 });
  });
});
