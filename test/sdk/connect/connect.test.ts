import { describe, expect, onTestFinished, vi } from 'vitest';
import { Holdfast } from '../../../sdk/src/index.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import { Sign } from '../support/sign.ts';
import { it } from './site.ts';

describe('a runner connects', () => {
  it('with its key, without compression, and introduces itself', async ({ site }) => {
    const { connection, peer } = await site.connected({ runner: 'r-1', region: 'eu', maxInFlight: 7 });
    expect(site.service.authorizations).toEqual(['Bearer hf_sk_x']);
    expect(peer.extensions).toBe('');
    expect(await peer.hello()).toEqual({
      type: 'hello',
      protocolVersion: 1,
      app: 'default',
      runner: 'r-1',
      region: 'eu',
      runtime: 'node',
      language: 'typescript',
      framework: 'connect',
      sdkName: '@holdfast/sdk',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      maxInFlight: 7,
      features: ['started', 'continue'],
      workflows: [{ name: 'greet', triggers: [{ event: 'hi' }], retry: { maxAttempts: 3 } }, { name: 'hold' }],
    });
    expect(connection.runnerId).toBe('r-1');
    expect(site.changes.map(({ state }) => state)).toEqual(['connecting', 'ready']);
  });

  it('for the project that its platform key is to act for', async ({ site }) => {
    const connection = new Holdfast({ baseUrl: site.service.url, apiKey: 'hf_plat_x', project: 'Łódź' }).connect();
    site.closeLater(connection);
    await connection.ready;
    expect(site.service.authorizations).toEqual(['Bearer hf_plat_x']);
    expect(site.service.projects.map((name) => Buffer.from(name ?? '', 'latin1').toString())).toEqual(['Łódź']);
  });

  it('answers an invoke with the opcodes of its pass', async ({ site }) => {
    const { peer } = await site.connected();
    peer.invoke('i1', 'greet');
    expect(await peer.result('i1')).toMatchObject({
      status: 206,
      body: { opcodes: [{ op: 'StepRun', name: 'say', data: 'hello' }], logs: [] },
    });
    peer.invoke('i2', 'greet', { steps: { [hashStepId('say')]: { data: 'hello' } } });
    expect(await peer.result('i2')).toMatchObject({ status: 200, body: { data: 'hello' } });
  });

  it('refuses a workflow that it does not have with 404', async ({ site }) => {
    const { peer } = await site.connected();
    peer.invoke('i1', 'nobody');
    const { status, body } = await peer.result('i1');
    expect(status).toBe(404);
    expect(body).toEqual({ error: 'no workflow "nobody" in app "default" on this runner' });
  });

  it('answers pings, and passes over frames of a later protocol', async ({ site }) => {
    const { peer } = await site.connected();
    peer.send({ type: 'novelty', of: 2030 });
    peer.send({ type: 'ping' });
    await peer.frame((frame) => frame.type === 'pong');
  });

  it.for([
    ['tells of a body that executes for long', ['started'], 1],
    ['tells an older service of no body', undefined, 0],
  ] as const)('%s', async ([, features, frames], { site }) => {
    site.service.features = features && [...features];
    const { peer } = await site.connected();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    peer.invoke('i1', 'hold');
    peer.invoke('i2', 'greet');
    await peer.result('i2');
    vi.advanceTimersByTime(600);
    site.release();
    await peer.result('i1');
    const step = { id: hashStepId('wait'), name: 'wait', attempt: 1, elapsedMs: 500, position: 0 };
    const frame = { type: 'started', id: 'i1', steps: [step] };
    expect(peer.frames.filter(({ type }) => type === 'started')).toEqual(frames === 0 ? [] : [frame]);
  });

  it('runs no more than maxInFlight passes at once', async ({ site }) => {
    let running = 0;
    let most = 0;
    site.hf.workflow({ id: 'count' }, async ({ step }) =>
      step.run('a', async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      }),
    );
    const { peer } = await site.connected({ maxInFlight: 3 });
    const ids = Array.from({ length: 12 }, (_, n) => `i${n}`);
    for (const id of ids) peer.invoke(id, 'count');
    await Promise.all(ids.map((id) => peer.result(id)));
    expect(most).toBe(3);
  });

  it('aborts the handler of a cancelled pass, and answers at once, so that its slot is free', async ({ site }) => {
    const aborted = new Sign();
    site.hf.workflow({ id: 'long' }, async ({ step, run }) => {
      run.signal.addEventListener('abort', aborted.give);
      await step.run('a', () => site.held);
    });
    const { peer } = await site.connected({ maxInFlight: 1 });
    for (const id of ['i1', 'i2', 'i3']) peer.invoke(id, 'long');
    peer.send({ type: 'cancel', id: 'i2', reason: 'run cancelled' });
    await peer.result('i2');
    peer.send({ type: 'cancel', id: 'i1', reason: 'run cancelled' });
    await aborted.given;
    expect(await peer.result('i1')).toMatchObject({ status: 503, body: { error: 'the pass was cancelled' } });
    site.release();
    await peer.result('i3');
    expect(peer.frames.map((frame) => frame.type)).toEqual(['hello', 'result', 'result', 'result']);
  });
});

it('a missing key and a wrong URL are said at the call', ({ site }) => {
  delete process.env.HOLDFAST_API_KEY;
  expect(() => new Holdfast({ baseUrl: site.service.url }).connect()).toThrow(/HOLDFAST_API_KEY/);
  expect(() => new Holdfast({ baseUrl: 'nowhere', apiKey: 'k' }).connect()).toThrow(/HOLDFAST_URL/);
  for (const maxInFlight of [0, 1.5, 100_001])
    expect(() => site.connect({ maxInFlight })).toThrow(
      `maxInFlight must be a whole number from 1 to 100000, not ${maxInFlight}`,
    );
});

it('the environment is read when it is needed, not before', async ({ site }) => {
  const late = new Holdfast();
  process.env.HOLDFAST_URL = `${site.service.url}/`;
  process.env.HOLDFAST_API_KEY = 'late';
  try {
    const connection = late.connect();
    site.closeLater(connection);
    await connection.ready;
    expect(site.service.authorizations).toEqual(['Bearer late']);
  } finally {
    delete process.env.HOLDFAST_URL;
    delete process.env.HOLDFAST_API_KEY;
  }
});
