import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failureBudget } from '../../src/workers/inference/decide.ts';
import { ask, useSite } from '../workers/inference/site.ts';
import { bundledService } from './bundledService.ts';

const dist = await bundledService();
const site = useSite();

/** A caller in a process of its own. */
function spawnCaller(concurrency = 500): ChildProcess {
  const file = fileURLToPath(new URL('modelCaller.mjs', import.meta.url));
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      DIST: dist,
      DATABASE_URL: site.test.url,
      PROVIDER_URL: site.fake.origin,
      CONCURRENCY: String(concurrency),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const within = { timeout: 20_000, interval: 20 };

/** How often the trial of many kills kills. `npm run test:nightly` asks for more. */
const kills = Number(process.env['INFERENCE_KILLS'] ?? 20);
/** Time for so many kills, and for the calls that they leave. */
const forKills = { killing: Math.max(kills, 20) * 12_000, settling: Math.max(kills, 20) * 3_000 };

/** A provider that answers only when it is told to, and then at once. */
function holdAnswers(): { release: () => void } {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  site.fake.always(async () => {
    await held;
    return { text: 'Hello.' };
  });
  return { release: () => release() };
}

/** Opens once, for all who wait. */
class Gate {
  open: () => void = () => undefined;
  readonly isOpen = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

const arrived = (count: number) =>
  vi.waitFor(() => expect(site.fake.ledger.length).toBeGreaterThanOrEqual(count), within);

/**
 * All calls have settled: each step once, each send with an end, each request of the fake recorded.
 */
async function settled(runIds: readonly string[], kills: number) {
  const { inferenceCall } = site.test.db.prisma;
  await vi.waitFor(async () => expect(await inferenceCall.count()).toBe(0), { ...within, timeout: forKills.settling });
  const sends = await site.test.db.prisma.inferenceSend.findMany();
  expect(sends.filter(({ outcome }) => outcome === null)).toEqual([]);
  const known = new Set(sends.map(({ idempotencyKey }) => idempotencyKey));
  for (const { idempotencyKey = '' } of site.fake.ledger) expect(known).toContain(idempotencyKey);
  expect(sends.length).toBeGreaterThanOrEqual(site.fake.ledger.length);
  expect(sends.length - site.fake.ledger.length).toBeLessThanOrEqual(kills);
  for (const runId of runIds) {
    const steps = await site.steps(runId);
    for (const step of steps) expect(step).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(await site.scene.run(runId)).toMatchObject({ status: 'succeeded' });
  }
  return sends;
}

const asks = (count: number) => Array.from({ length: count }, (_, n) => ask({ prompt: `Say ${n}.` }));

describe('a process that is killed with twenty calls in flight', () => {
  /** Twenty of the sends ended unknown, and were repeated with the same keys. */
  async function lostTwenty(runId: string, { before }: { before: number }) {
    const sends = await settled([runId], 1);
    expect(sends.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(20);
    const keys = site.fake.ledger.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toHaveLength(before + 20);
    expect(new Set(keys.slice(before))).toEqual(new Set(keys.slice(0, 20)));
    const usage = await site.usage(runId);
    expect(usage.filter(({ unknown }) => unknown)).toHaveLength(20);
    expect(usage.filter(({ unknown }) => !unknown)).toHaveLength(before);
  }

  test('loses them to its successor within ten seconds', async () => {
    const { release } = holdAnswers();
    const runId = await site.asks(...asks(20));
    const dying = spawnCaller();
    await arrived(20);
    dying.kill('SIGKILL');
    await once(dying, 'exit');
    const diedMs = performance.now();
    spawnCaller();
    await arrived(21);
    expect(performance.now() - diedMs).toBeLessThan(10_000);
    release();
    await lostTwenty(runId, { before: 20 });
  });

  test('loses them within ten seconds to a process that has twenty others in flight', async () => {
    const { release } = holdAnswers();
    const runId = await site.asks(...asks(40));
    const dying = spawnCaller(20);
    await arrived(20);
    const other = spawnCaller();
    await arrived(40);
    dying.kill('SIGKILL');
    await once(dying, 'exit');
    const diedMs = performance.now();
    await arrived(41);
    expect(performance.now() - diedMs).toBeLessThan(10_000);
    release();
    await lostTwenty(runId, { before: 40 });
    expect(other.exitCode).toBeNull();
  });

  test(
    'loses no call and settles each once, however often that happens',
    async () => {
      const inFlight = new Set<unknown>();
      let answers = 0;
      let full = new Gate();
      // Answers come while the process dies, yet not before it has twenty calls in flight. A call
      // that has died with nearly as many as may is answered at once, before the next one dies.
      const mostDeaths = failureBudget - 2;
      const sent = new Map<unknown, number>();
      const { inferenceCall } = site.test.db.prisma;
      const areSaved = async () =>
        expect(await inferenceCall.count({ where: { failures: { gte: mostDeaths } } })).toBe(0);
      site.fake.always(async (request) => {
        const times = (sent.get(request.idempotencyKey) ?? 0) + 1;
        sent.set(request.idempotencyKey, times);
        if (times > mostDeaths) return { text: 'Hello.' };
        const { isOpen } = full;
        inFlight.add(request);
        void request.closed.then(() => inFlight.delete(request));
        if (inFlight.size >= 20) full.open();
        await Promise.race([isOpen, request.closed]);
        answers += 1;
        await new Promise((resolve) => setTimeout(resolve, (answers % 7) * 50));
        return { text: 'Hello.' };
      });
      const runIds: string[] = [];
      for (let n = 0; n < kills * 2; n += 1) runIds.push(await site.asks(...asks(20)));
      for (let n = 0; n < kills; n += 1) {
        const dying = spawnCaller(20);
        await full.isOpen;
        await new Promise((resolve) => setTimeout(resolve, (n % 4) * 60));
        await vi.waitFor(areSaved, within);
        dying.kill('SIGKILL');
        await once(dying, 'exit');
        await vi.waitFor(() => expect(inFlight.size).toBe(0), within);
        full = new Gate();
      }
      full.open();
      site.caller().start();
      const sends = await settled(runIds, kills);
      const answered = sends.filter(({ outcome }) => outcome === 'answered');
      const steps = new Set(answered.map(({ runId, stepIndex }) => `${runId}/${stepIndex}`));
      expect([steps.size, answered.length]).toEqual([kills * 40, kills * 40]);
    },
    forKills.killing,
  );
});

describe('a process that freezes', () => {
  test('for three leases loses its calls, and changes nothing when it wakes up', async () => {
    const { release } = holdAnswers();
    const runId = await site.asks(...asks(3));
    const frozen = spawnCaller();
    await arrived(3);
    frozen.kill('SIGSTOP');
    const other = site.caller();
    other.start();
    await arrived(6);
    release();
    await vi.waitFor(async () => expect(await site.calls()).toEqual([]), within);
    frozen.kill('SIGCONT');
    await settled([runId], 0);
    expect(site.fake.ledger).toHaveLength(6);
    await vi.waitFor(async () => {
      const sends = await site.sends(runId);
      // The frozen process has read its answers by now, and recorded what they used.
      expect(sends.map(({ outcome }) => outcome)).toEqual(Array(6).fill('answered'));
    }, within);
    const steps = await site.scene.stepRows(runId);
    expect(steps.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  }, 60_000);
});

describe('a process that is told to stop', () => {
  test('ends what it has begun, and leaves no lease', async () => {
    const { release } = holdAnswers();
    const runId = await site.asks(...asks(5));
    const stopping = spawnCaller();
    await arrived(5);
    stopping.kill('SIGTERM');
    release();
    const [code] = await once(stopping, 'exit');
    expect(code).toBe(0);
    await settled([runId], 0);
    expect(site.fake.ledger).toHaveLength(5);
    expect(await site.test.db.prisma.inferenceProcess.count()).toBe(0);
  });
});
