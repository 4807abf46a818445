import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import type { ConnectOptions } from '../../../sdk/src/index.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import type { Peer } from '../support/serviceDouble.ts';
import { it, type Site } from './site.ts';

const saved = (name: string) => ({ [hashStepId(name)]: { ok: true as const } });

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'production');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A runner of `count`, which takes a step for each number. The service continues handlers. */
async function counting(site: Site, options: ConnectOptions = {}): Promise<{ peer: Peer; calls: string[] }> {
  const calls: string[] = [];
  site.service.features = ['started', 'continue'];
  site.hf.workflow({ id: 'count' }, async ({ step, run }) => {
    calls.push(run.id);
    for (let n = 1; n <= 3; n += 1) await step.run(`${n}`, () => n);
    return 'counted';
  });
  const { peer } = await site.connected(options);
  return { peer, calls };
}

/** Begins a run of `count`, under an id of its own. */
async function begun(peer: Peer, id: string): Promise<void> {
  peer.invoke(id, 'count');
  expect(await peer.result(id)).toMatchObject({ status: 206, held: true });
}

describe('a handler that waits for saved steps', () => {
  it('is held, and continued to its end by messages that name its steps', async ({ site }) => {
    const { calls, peer } = await counting(site);
    await begun(peer, 'i1');
    peer.continue('i2', 'i1', saved('1'));
    expect(await peer.result('i2')).toMatchObject({ status: 206, held: true, body: { opcodes: [{ name: '2' }] } });
    peer.continue('i3', 'i2', saved('2'));
    await peer.result('i3');
    peer.continue('i4', 'i3', saved('3'));
    expect(await peer.result('i4')).toEqual({
      type: 'result',
      id: 'i4',
      status: 200,
      body: { data: 'counted', logs: [] },
    });
    expect(calls).toEqual(['run of i1']);
  });

  it('H2: is continued once: a repeated message, and one about another invoke, are lost', async ({ site }) => {
    const { peer } = await counting(site);
    await begun(peer, 'i1');
    peer.continue('i2', 'i1', saved('1'));
    peer.continue('i3', 'i1', saved('1'));
    peer.continue('i4', 'i0', saved('1'));
    await Promise.all([peer.result('i2'), peer.lost('i3'), peer.lost('i4')]);
  });

  it('H3: goes when too many are held, the least recently answered first', async ({ site }) => {
    const { peer } = await counting(site, { maxHeld: 2 });
    for (const id of ['a1', 'b1', 'c1']) await begun(peer, id);
    peer.continue('b2', 'b1', saved('1'));
    await peer.result('b2');
    peer.continue('a2', 'a1', saved('1'));
    await peer.lost('a2');
    peer.continue('c2', 'c1', saved('1'));
    await peer.result('c2');
  });

  it('H3: goes after its time', async ({ site }) => {
    const { peer } = await counting(site, { heldMs: 1 });
    await begun(peer, 'i1');
    await vi.waitFor(async () => {
      const id = `late ${performance.now()}`;
      peer.invoke(id, 'count');
      await peer.result(id);
      await new Promise((resolve) => setTimeout(resolve, 5));
      peer.continue(`${id} again`, id, saved('1'));
      await Promise.race([peer.lost(`${id} again`), peer.result(`${id} again`).then(() => expect.fail('was held'))]);
    });
  });

  it('H4: goes when its run is cancelled, or sent in full', async ({ site }) => {
    const { peer } = await counting(site);
    await begun(peer, 'a1');
    peer.send({ type: 'cancel', id: 'a1', reason: 'the run was cancelled' });
    peer.continue('a2', 'a1', saved('1'));
    await peer.lost('a2');
    await begun(peer, 'b1');
    const ctx = { runId: 'run of b1', workflow: 'count', attempt: 1, app: 'default', runner: '' };
    peer.invoke('b2', 'count', { ctx });
    await peer.result('b2');
    peer.continue('b3', 'b1', saved('1'));
    await peer.lost('b3');
  });

  it('H4: is not held by a runner that closes, or is drained', async ({ site }) => {
    const { peer: first } = await counting(site);
    await begun(first, 'a1');
    first.invoke('a2', 'hold');
    first.send({ type: 'drain' });
    const second = await site.service.peer(1);
    await site.change('ready', 2);
    await begun(second, 'b1');
    second.continue('b2', 'a1', saved('1'));
    await second.lost('b2');
  });

  it('goes if the service says more than the handler knows', async ({ site }) => {
    const { peer } = await counting(site);
    await begun(peer, 'i1');
    peer.continue('i2', 'i1', saved('7'));
    await peer.lost('i2');
  });

  it('is aborted by the cancel of a later pass', async ({ site }) => {
    site.service.features = ['continue'];
    let signal: AbortSignal | undefined;
    site.hf.workflow({ id: 'long' }, async ({ step }) => {
      await step.run('a', () => 1);
      await step.run('b', (info) => {
        signal = info.signal;
        return site.held;
      });
    });
    const { peer } = await site.connected();
    peer.invoke('i1', 'long');
    await peer.result('i1');
    peer.continue('i2', 'i1', saved('a'));
    await vi.waitFor(() => expect(signal).toBeDefined());
    peer.send({ type: 'cancel', id: 'i2', reason: 'the run was cancelled' });
    expect(await peer.result('i2')).toMatchObject({ status: 503 });
    expect(signal?.aborted).toBe(true);
  });
});

describe('no handler is held', () => {
  it('for a service that does not continue them', async ({ site }) => {
    const { peer } = await counting(site);
    expect(await peer.hello()).toMatchObject({ features: ['started', 'continue'] });
    site.service.features = undefined;
    peer.terminate();
    const second = await site.service.peer(1);
    await site.change('ready', 2);
    second.invoke('i1', 'count');
    expect(await second.result('i1')).not.toHaveProperty('held');
  });

  it.for([
    ['by maxHeld: 0', { maxHeld: 0 }, ''],
    ['by HOLDFAST_REPLAY=always', {}, 'always'],
  ] as const)('%s, and the service is told so', async ([, options, replay], { site }) => {
    vi.stubEnv('HOLDFAST_REPLAY', replay);
    const { peer } = await counting(site, options);
    expect(await peer.hello()).toMatchObject({ features: ['started'] });
    peer.invoke('i1', 'count');
    expect(await peer.result('i1')).not.toHaveProperty('held');
  });

  it('by limits that are none: they are refused', async ({ site }) => {
    expect(() => site.connect({ maxHeld: -1 })).toThrow('maxHeld must be a whole number from 0');
    expect(() => site.connect({ heldMs: 0 })).toThrow('heldMs must be a whole number of milliseconds from 1');
    vi.stubEnv('HOLDFAST_REPLAY', 'sometimes');
    expect(() => site.connect()).toThrow('HOLDFAST_REPLAY must be "always", or not set');
  });
});

describe('in development', () => {
  it('the first pass of a workflow to continue, and each fiftieth after it, is replayed in full', async ({ site }) => {
    vi.stubEnv('NODE_ENV', 'development');
    const { peer } = await counting(site);
    for (let run = 0; run <= 50; run += 1) {
      await begun(peer, `a${run}`);
      peer.continue(`b${run}`, `a${run}`, saved('1'));
      if (run % 50 === 0) await peer.lost(`b${run}`);
      else await peer.result(`b${run}`);
    }
  });
});
