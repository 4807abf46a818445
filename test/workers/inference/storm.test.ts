import { expect, test, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { ModelCaller } from '../../../src/workers/inference/index.ts';
import { ask, useSite } from './site.ts';

const clock = new ManualClock();
const site = useSite({ clock });
const calls = 500;

/** Starts runs that ask. The provider refuses for a minute, each request after `refusalMs`. */
async function beginStorm({ refusalMs }: { refusalMs: number }) {
  const endsAt = clock.now().getTime() + 60_000;
  const isStorm = () => clock.now().getTime() < endsAt;
  const refused = { refusal: { status: 529, type: 'overloaded_error', message: 'Overloaded' } };
  const refusals: (() => void)[] = [];
  site.fake.always(async () => {
    if (!isStorm()) return { text: 'Hello.' };
    if (refusalMs > 0) await new Promise<void>((resolve) => refusals.push(resolve));
    return refused;
  });
  const runIds: string[] = [];
  for (let n = 0; n < calls / 50; n += 1) {
    runIds.push(await site.asks(...Array.from({ length: 50 }, (_, at) => ask({ prompt: `Say ${n}-${at}.` }))));
  }
  /** Sends what is due, and lets the refusals come. */
  const turn = async (caller: ModelCaller): Promise<void> => {
    const ended = caller.runOnce();
    const sent = vi.waitFor(() => expect(refusals).toHaveLength(caller.stats().calls || -1), { interval: 1 });
    await Promise.race([ended, sent]);
    sent.catch(() => undefined);
    clock.advance(refusals.length > 0 ? refusalMs : 0);
    for (const refuse of refusals.splice(0)) refuse();
    await ended;
  };
  return { isStorm, runIds, turn };
}

test.each([
  ['at once', 0],
  ['after a second', 1000],
])(
  'a storm of a minute, whose refusals come %s, gets few requests; then all calls succeed, none twice',
  async (_, refusalMs) => {
    const { isStorm, runIds, turn } = await beginStorm({ refusalMs });
    const caller = site.caller();
    while (isStorm()) {
      await turn(caller);
      clock.advance(200);
    }
    const inStorm = site.fake.ledger.length;
    expect(inStorm).toBeLessThanOrEqual(60);
    // The last hold ends a minute later at most.
    for (let n = 0; n < 200 && (await site.test.db.prisma.inferenceCall.count()) > 0; n += 1) {
      await caller.runOnce();
      clock.advance(500);
    }
    for (const runId of runIds) {
      const steps = await site.steps(runId);
      expect(steps.map(({ status }) => status)).toEqual(Array(50).fill('succeeded'));
    }
    expect(site.fake.ledger.length - inStorm).toBe(calls);
  },
  120_000,
);
