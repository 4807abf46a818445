import { gzipSync } from 'node:zlib';
import { bodyLimitBytes } from '@holdfast/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HttpRunner } from '../../../src/engine/runners/index.ts';
import { verify } from '../../../src/engine/signing/index.ts';
import { TestHttpRunner } from './kit/httpRunner.ts';
import { ScriptedSite, type ScriptedSiteOptions } from './kit/scriptedSite.ts';

let site: ScriptedSite;
let runner: TestHttpRunner;
beforeEach(async () => {
  runner = await TestHttpRunner.open();
});
afterEach(async () => {
  await site.close();
  await runner.close();
});

const registered = (over: Partial<HttpRunner> = {}): HttpRunner => ({
  projectId: site.projectId,
  app: 'shop',
  runnerId: 'web',
  connectionId: 'c1',
  url: runner.url,
  workflows: ['order'],
  maxInFlight: 100,
  silentMs: 0,
  ...over,
});

async function open(options: ScriptedSiteOptions = {}, over: Partial<HttpRunner> = {}): Promise<void> {
  site = await ScriptedSite.open(options);
  site.registry.http = [registered(over)];
  site.engine.bus.emit('registry.changed', { projectId: site.projectId });
  await vi.waitFor(() => expect(site.dispatcher.stats().httpRunners).toBe(1));
}

const settlementOf = async (runId: string | undefined) =>
  (await site.work.settlements.next((each) => each.runId === runId)).reply;

describe('an invoke of an HTTP runner', () => {
  it('is a signed POST of the unchanged request', async () => {
    await open();
    const [runId] = site.enqueue();
    const { body, headers } = await runner.post();
    expect(body).toBe(`{"event":{"name":"e","data":1e400},"steps":{},"ctx":{"runId":"${runId}"}}`);
    expect(headers['content-type']).toBe('application/json');
    const header = String(headers['x-service-signature']);
    const verification = { header, body, now: new Date(), toleranceMs: 300_000 };
    expect(verify({ ...verification, secrets: ['whsec_test'] })).toBe(true);
    expect(verify({ ...verification, secrets: ['other'] })).toBe(false);
    expect(headers.authorization).toBeUndefined();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'answer', status: 200, body: '{"data":null,"logs":[]}' });
  });

  it('is also signed with the old secret during a rotation', async () => {
    await open();
    site.registry.secrets = ['new', 'old'];
    site.enqueue();
    const { body, headers } = await runner.post();
    const header = String(headers['x-service-signature']);
    for (const secret of ['new', 'old']) {
      expect(verify({ header, body, now: new Date(), toleranceMs: 300_000, secrets: [secret] })).toBe(true);
    }
  });

  it('is sent once more if the runner refuses its signature and the secrets changed meanwhile', async () => {
    await open();
    runner.respond = ({ body, headers }, response) => {
      const header = String(headers['x-service-signature']);
      const isValid = verify({ header, body, now: new Date(), toleranceMs: 300_000, secrets: ['new'] });
      response.writeHead(isValid ? 200 : 401).end('{}');
    };
    const [before] = site.enqueue();
    expect(await settlementOf(before)).toMatchObject({ kind: 'answer', status: 401 });
    expect(runner.posts).toHaveLength(1);
    site.registry.secrets = ['new', 'whsec_test'];
    const [after] = site.enqueue();
    expect(await settlementOf(after)).toMatchObject({ kind: 'answer', status: 200 });
    expect(runner.posts).toHaveLength(3);
    runner.respond = (_, response) => response.writeHead(401).end('{}');
    site.registry.secrets = ['newest', 'new'];
    const [refused] = site.enqueue();
    expect(await settlementOf(refused)).toMatchObject({ kind: 'answer', status: 401 });
    expect(runner.posts).toHaveLength(5);
  });

  it('H1: waits without a failed attempt while no secret can sign it', async () => {
    await open();
    site.registry.secrets = [];
    const runIds = site.enqueue(3);
    for (const runId of runIds) await site.work.released.next((id) => id === runId);
    expect(site.work.settlements.all).toEqual([]);
    expect(site.dispatcher.stats()).toMatchObject({ httpLive: 0, held: 0, invoked: 0 });
    site.registry.secrets = ['fresh'];
    site.engine.bus.emit('registry.changed', { projectId: site.projectId });
    const [runId] = site.enqueue();
    const { body, headers } = await runner.post();
    const header = String(headers['x-service-signature']);
    expect(verify({ header, body, now: new Date(), toleranceMs: 300_000, secrets: ['fresh'] })).toBe(true);
    expect(await settlementOf(runId)).toMatchObject({ kind: 'answer', status: 200 });
  });

  it.each([
    [200, '{"data":1e400,"logs":[]}'],
    [206, '{"opcodes":[],"logs":[]}'],
    [404, '{"error":"unknown workflow"}'],
    [500, 'no json'],
    [204, ''],
    [418, 'teapot'],
    [599, ''],
  ])('passes on status %i with its body', async (status, body) => {
    await open();
    runner.respond = (_, response) => response.writeHead(status).end(body);
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'answer', status, body });
  });

  it('follows no redirect', async () => {
    await open();
    runner.respond = (_, response) => response.writeHead(307, { location: runner.url }).end();
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'answer', status: 307 });
    expect(runner.posts).toHaveLength(1);
  });

  it('accepts a body of exactly 1 MiB', async () => {
    await open();
    runner.respond = (_, response) => response.writeHead(200).end('x'.repeat(bodyLimitBytes));
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'answer' });
  });

  it.each([
    ['announced', true],
    ['in chunks', false],
  ])('fails the pass on a body of one byte more, %s', async (_, isAnnounced) => {
    await open();
    runner.respond = (_call, response) => {
      response.writeHead(200, isAnnounced ? { 'content-length': bodyLimitBytes + 1 } : {});
      response.write('x'.repeat(bodyLimitBytes));
      response.end('x');
    };
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'tooLarge' });
  });

  it('reads an endless body only up to the limit', async () => {
    await open();
    runner.respond = (_, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'tooLarge' });
  });

  it('does not decompress: a compressed body is unreadable', async () => {
    await open();
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    runner.respond = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toEqual({
      kind: 'transport',
      reason: 'the runner answered with content-encoding gzip',
      socketLost: false,
      from: { runner: 'web', origin: new URL(runner.url).origin },
    });
  });

  it.each<[string, (response: import('node:http').ServerResponse) => void]>([
    [
      'a body that is cut',
      (response) => {
        response.writeHead(200, { 'content-length': 100 }).write('{"data"');
        setImmediate(() => response.destroy());
      },
    ],
    ['a body that is not UTF-8', (response) => void response.writeHead(200).end(Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
    ['no answer but a closed connection', (response) => void response.destroy()],
  ])('counts %s as a transport failure', async (_, respond) => {
    await open();
    runner.respond = (_call, response) => respond(response);
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'transport' });
  });

  it('counts an endless answer as a missing one', async () => {
    await open({ settings: { invokeTimeoutMs: 100 } });
    const hungUp = new Promise<void>((resolve) => {
      runner.respond = (_, response) => {
        response.writeHead(200).write('{');
        response.on('close', resolve);
      };
    });
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'transport', reason: 'no answer within 100 ms' });
    await hungUp;
    expect(site.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 });
  });

  it('is closed when its run is cancelled', async () => {
    await open();
    const hungUp = new Promise<void>((resolve) => {
      runner.respond = (_, response) => response.on('close', resolve);
    });
    const [runId = ''] = site.enqueue();
    await runner.post();
    site.engine.bus.emit('run.cancelled', { runId, reason: 'cancelled' });
    await hungUp;
    expect(site.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 });
  });

  it('goes to a runner that answers if another is down', async () => {
    await open();
    const gone = await TestHttpRunner.open();
    const url = gone.url;
    await gone.close();
    site.registry.http = [registered(), registered({ runnerId: 'down', connectionId: 'c2', url })];
    site.engine.bus.emit('registry.changed', { projectId: site.projectId });
    await vi.waitFor(() => expect(site.dispatcher.stats().httpRunners).toBe(2));
    site.work.onSettle = ({ reply }) => (reply.kind === 'transport' ? 'again' : 'released');
    const runIds = site.enqueue(20);
    await vi.waitFor(() => expect(new Set(runner.posts.map(({ body }) => body)).size).toBe(20));
    for (const runId of runIds) {
      await site.work.settlements.next((each) => each.runId === runId && each.reply.kind === 'answer');
    }
    // The one that is down is not asked for every run.
    expect(site.work.settlements.all.filter(({ reply }) => reply.kind === 'transport').length).toBeLessThan(20);
  });

  it('is not sent to an address that must not be called', async () => {
    await open({ settings: { allowPrivateTargets: false } });
    const [runId] = site.enqueue();
    expect(await settlementOf(runId)).toMatchObject({ kind: 'transport', reason: expect.stringContaining('private') });
    expect(runner.calls.all).toEqual([]);
  });

  it('stays within the slots of the runner', async () => {
    await open({}, { maxInFlight: 2 });
    const answers: (() => void)[] = [];
    runner.respond = (_, response) => answers.push(() => response.writeHead(200).end('{}'));
    site.enqueue(5);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(site.dispatcher.stats().invoked).toBe(2);
    answers.shift()?.();
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(runner.posts).toHaveLength(3);
    runner.respond = (_, response) => response.writeHead(200).end('{}');
    for (const answer of answers) answer();
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
  });

  it.each([
    ['to one address', { httpSocketsPerOrigin: 3 }],
    ['in all', { httpSockets: 3 }],
  ])('is claimed for no more slots than there are connections %s', async (_, options) => {
    await open({ options });
    runner.respond = () => undefined;
    site.enqueue(10);
    await vi.waitFor(() => expect(runner.posts).toHaveLength(3));
    expect(site.dispatcher.stats()).toMatchObject({ held: 3, invoked: 3, waiting: 0 });
  });
});

describe('an HTTP runner', () => {
  it('that registers again serves the workflows of its newer registration', async () => {
    await open();
    site.registry.http = [registered({ connectionId: 'c2', workflows: ['refund'] })];
    site.engine.bus.emit('registry.changed', { projectId: site.projectId });
    site.enqueue(1, { workflow: 'refund' });
    await runner.post();
    const lanes = new Set(site.work.claims.flat().map(({ laneId }) => laneId));
    expect(lanes.has(site.lanes.id(site.projectId, { workflow: 'refund' }))).toBe(true);
  });

  it('is probed by HEAD, without a secret, and any answer keeps it live', async () => {
    await open({ options: { probeMs: 50 } }, { silentMs: 60_000 });
    const { headers } = await runner.calls.next(({ method }) => method === 'HEAD', 'a probe');
    expect(headers['x-service-signature']).toBeUndefined();
    expect(headers.authorization).toBeUndefined();
    await site.registry.touched.next((id) => id === 'c1');
  });

  it('H2: that answered an invoke lately is not probed, and is recorded in the registry', async () => {
    await open({ options: { probeMs: 300 } });
    site.enqueue();
    await runner.post();
    await site.registry.touched.next((id) => id === 'c1');
  });

  it('H3: is recorded in the registry only for its answers, not for reads of the registry', async () => {
    await open({ options: { probeMs: 50 } });
    const gone = await TestHttpRunner.open();
    const { url } = gone;
    await gone.close();
    for (let turn = 1; turn <= 3; turn += 1) {
      // Another process has just seen it, again and again; beside it is one that answers.
      site.registry.http = [
        registered({ runnerId: 'gone', connectionId: 'gone', url }),
        registered({ connectionId: `c${turn}`, silentMs: 60_000 }),
      ];
      site.engine.bus.emit('registry.changed', { projectId: site.projectId });
      await site.registry.touched.next((id) => id === `c${turn}`);
    }
    expect(site.registry.touched.all).not.toContain('gone');
  });

  it('H1: past its liveness gets no pass until a probe finds it', async () => {
    await open({ settings: { runnerLivenessMs: 1_000 }, options: { probeMs: 100 } }, { silentMs: 5_000 });
    const [runId] = site.enqueue();
    const reply = await settlementOf(runId);
    expect(reply).toMatchObject({ kind: 'answer' });
    const methods = runner.calls.all.map(({ method }) => method);
    expect(methods.indexOf('HEAD')).toBeLessThan(methods.indexOf('POST'));
  });

  it('H1: that is gone is removed after the silence of the liveness window', async () => {
    await open({ settings: { runnerLivenessMs: 200 }, options: { probeMs: 50 } });
    await vi.waitFor(() => expect(site.dispatcher.stats().httpLive).toBe(1));
    await runner.close();
    await vi.waitFor(() => expect(site.dispatcher.stats().httpLive).toBe(0));
    const claims = site.work.claims.length;
    site.enqueue();
    site.work.latest = { ...site.work.latest, readyLanes: [site.lanes.id(site.projectId)] };
    const other = site.connect();
    await other.ready({ app: 'billing' });
    expect(site.work.claims.slice(claims).flat()).not.toContainEqual(
      expect.objectContaining({ laneId: site.lanes.id(site.projectId) }),
    );
    runner = await TestHttpRunner.open();
  });
});
