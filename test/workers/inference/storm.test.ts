import { expect, test } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { ask, useSite } from './site.ts';

const clock = new ManualClock();
const site = useSite({ clock });

test('a storm of a minute gets few requests, and then all calls succeed, none twice', async () => {
  const calls = 500;
  const endsAt = clock.now().getTime() + 60_000;
  const isStorm = () => clock.now().getTime() < endsAt;
  const refused = { refusal: { status: 529, type: 'overloaded_error', message: 'Overloaded' } };
  site.fake.always(() => (isStorm() ? refused : { text: 'Hello.' }));
  const runIds: string[] = [];
  for (let n = 0; n < calls / 50; n += 1) {
    runIds.push(await site.asks(...Array.from({ length: 50 }, (_, at) => ask({ prompt: `Say ${n}-${at}.` }))));
  }
  const caller = site.caller();
  while (isStorm()) {
    await caller.runOnce();
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
}, 120_000);
