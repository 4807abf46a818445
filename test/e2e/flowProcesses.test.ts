import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Holdfast } from '../../sdk/src/index.ts';
import { FlowSite, Hold, waitLimits } from './flowSite.ts';

/**
 * Two processes of the service, each with a runner. Limits apply to the whole service, and the
 * handlers count executing runs themselves.
 */
let site: FlowSite;
const hold = new Hold();
const order: string[] = [];
const hour = 3_600_000;

beforeAll(async () => {
  site = await FlowSite.open({ processes: 2 });
  for (const n of [0, 1]) {
    const hf = site.client(n);
    define(hf, 2);
    await site.connect(hf, `r${n}`);
  }
}, 150_000);

afterAll(async () => {
  hold.open();
  await site?.close();
}, 30_000);

function define(hf: Holdfast, limit: number): void {
  hf.workflow({ id: 'keyed', concurrency: { limit, key: 'tenant' } }, ({ event }) =>
    hold.enter((event.data as { tenant: string }).tenant),
  );
  hf.workflow({ id: 'any' }, () => hold.enter('any'));
  hf.workflow({ id: 'napper', concurrency: { limit: 1 } }, ({ step }) =>
    step.waitForEvent('wake', { event: 'wake', timeout: hour }),
  );
  hf.workflow({ id: 'blocker' }, () => hold.enter('blocker'));
  hf.workflow({ id: 'plain' }, () => void order.push('plain'));
  hf.workflow({ id: 'urgent', priority: { shiftMs: hour } }, () => void order.push('urgent'));
  hf.workflow({ id: 'shed', rateLimit: { limit: 7, perMs: hour } }, () => undefined);
  hf.workflow({ id: 'paid once', idempotency: { key: 'order' } }, () => undefined);
  hf.workflow({ id: 'gathered', batch: { maxSize: 5, timeoutMs: hour } }, ({ events }) => events.length);
}

/** The same call at both processes alternately, all at once. */
const sendAll = (name: string, payloads: readonly object[]) =>
  Promise.all(payloads.map((data, n) => site.client(n).events.send({ name, data })));

const times = <T>(count: number, item: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => item(n));

describe('concurrency', () => {
  it('never has more of a key executing than its limit, at whichever process; the rest waits, queued', async () => {
    hold.close();
    const sent = await sendAll(
      'keyed',
      times(12, (n) => ({ tenant: n % 3 === 0 ? 'small' : 'large', n })),
    );
    expect(sent.every((each) => each.runId !== undefined)).toBe(true);
    await vi.waitFor(() => expect([hold.inside('small'), hold.inside('large')]).toEqual([2, 2]), waitLimits);
    await vi.waitFor(async () => {
      const { scopes } = await site.get('/flow-state?workflow=keyed');
      const scope = { app: 'flow', workflow: 'keyed', limit: 2, inUse: 2 };
      expect(scopes).toHaveLength(2);
      expect(scopes).toContainEqual({ ...scope, key: 'small', waiting: 2 });
      expect(scopes).toContainEqual({ ...scope, key: 'large', waiting: 6 });
    }, waitLimits);
    const statuses = (await site.runsOf('keyed')).map((run) => run.status).sort();
    expect(statuses).toEqual([...times(8, () => 'queued'), ...times(4, () => 'running')]);
    hold.open();
    await site.allDone('keyed', 12);
    expect([hold.highest.get('small'), hold.highest.get('large')]).toEqual([2, 2]);
  });

  it('holds no slot for a run that waits for an event', async () => {
    const [one, two] = [await site.trigger('napper'), await site.trigger('napper')];
    await site.until(one.runId, { status: 'waiting' });
    await site.until(two.runId, { status: 'waiting' });
    expect(await site.send('wake')).toMatchObject({ woke: 2 });
    await site.allDone('napper', 2);
  });

  it('goes by a limit that is registered anew, also for what waits already', async () => {
    hold.close();
    for (let n = 0; n < 5; n += 1) await site.trigger('keyed', { tenant: 'grown' });
    await vi.waitFor(() => expect(hold.inside('grown')).toBe(2), waitLimits);
    const hf = site.client(1);
    define(hf, 4);
    await site.connect(hf, 'r2');
    await vi.waitFor(() => expect(hold.inside('grown')).toBe(4), waitLimits);
    expect(hold.highest.get('grown')).toBe(4);
    hold.open();
    await site.allDone('keyed', 17);
    expect(hold.highest.get('grown')).toBe(4);
  });
});

describe("the project's ceiling", () => {
  it('holds over all workflows, keys and processes, next to their own limits, until it is lifted', async () => {
    await site.setCeiling(3);
    hold.close();
    await sendAll(
      'any',
      times(6, (n) => ({ n })),
    );
    await sendAll(
      'keyed',
      times(6, () => ({ tenant: 'under' })),
    );
    const inside = () => hold.inside('any') + hold.inside('under');
    await vi.waitFor(() => expect(inside()).toBe(3), waitLimits);
    await vi.waitFor(
      async () => expect((await site.get('/flow-state')).concurrency).toEqual({ limit: 3, inUse: 3 }),
      waitLimits,
    );
    const left = { any: 6, under: 6 };
    for (let turn = 0; turn < 4; turn += 1) {
      const name = hold.inside('any') > 0 ? 'any' : 'under';
      hold.releaseOne(name);
      left[name] -= 1;
      await vi.waitFor(() => expect(inside()).toBe(3), waitLimits);
    }
    await site.setCeiling(0);
    const both = () => [hold.inside('any'), hold.inside('under')];
    await vi.waitFor(() => expect(both()).toEqual([left.any, Math.min(left.under, 4)]), waitLimits);
    hold.open();
    await site.allDone('any', 6);
    // Runs of the other process, too: an executing run would hold up the next test.
    await site.allDone('keyed', 23);
    expect(hold.highest.get('under')).toBeLessThanOrEqual(4);
    expect((await site.get('/flow-state')).concurrency).toMatchObject({ limit: 0 });
  });

  it('lets urgent runs overtake in its line', async () => {
    await site.setCeiling(1);
    hold.close();
    await site.trigger('blocker');
    await vi.waitFor(() => expect(hold.inside('blocker')).toBe(1), waitLimits);
    for (const name of ['plain', 'plain', 'urgent']) await site.trigger(name);
    // Runs are gated when a claim has found no free slot.
    await vi.waitFor(async () => expect(await site.gated('ceiling')).toBe(3), waitLimits);
    hold.open();
    await vi.waitFor(() => expect(order).toHaveLength(3), waitLimits);
    expect(order).toEqual(['urgent', 'plain', 'plain']);
    await site.setCeiling(0);
  });
});

describe('two processes at once', () => {
  it('let no more pass a rate than its limit', async () => {
    const told = await sendAll(
      'shed',
      times(40, (n) => ({ n })),
    );
    expect(told.filter((each) => each.runId !== undefined)).toHaveLength(7);
    expect(told.filter((each) => each.dropped)).toHaveLength(33);
    await site.allDone('shed', 7);
  });

  it('start one run per idempotency value', async () => {
    const told = await sendAll(
      'paid once',
      times(30, (n) => ({ order: n % 3 })),
    );
    expect(told.filter((each) => each.runId !== undefined)).toHaveLength(3);
    expect(told.filter((each) => each.deduped)).toHaveLength(27);
  });

  it('fill the same batches, and flush each once', async () => {
    await sendAll(
      'gathered',
      times(20, (n) => ({ n })),
    );
    const runs = await site.allDone('gathered', 4);
    const results = await Promise.all(runs.map(async ({ id }) => (await site.hf.runs.get(id)).result));
    expect(results).toEqual([5, 5, 5, 5]);
  });
});

it('leaves nothing behind that the doctor objects to', async () => expect(await site.violations()).toEqual([]));
