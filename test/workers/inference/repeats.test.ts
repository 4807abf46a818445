import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { inferenceTally } from '../../../src/engine/inference/index.ts';
import type { Turn } from '../../support/models/turn.ts';
import { ask, useSite } from './site.ts';

const clock = new ManualClock();
const site = useSite({
  clock,
  inference: { deadlineMs: 7_200_000, idleMs: 300 },
  limits: { inferenceMaxBytes: 20_000 },
  workflow: { name: 'flow', retry: { maxAttempts: 2, initialDelayMs: 1_000, backoff: 'fixed' } },
});

const refusal = (status: number, fields: object = {}, headers: Record<string, string> = {}): Turn => ({
  refusal: { status, type: 'some_error', message: 'not now', ...fields },
  headers,
});

const keys = () => site.fake.ledger.map(({ idempotencyKey }) => idempotencyKey);
const outcomes = async (runId: string) => (await site.sends(runId)).map(({ outcome }) => outcome);

/** Lets the caller take turns, `ms` after each other. */
async function turns(count: number, ms: number) {
  const caller = site.caller();
  for (let n = 0; n < count; n += 1) {
    await caller.runOnce();
    clock.advance(ms);
  }
}

describe('a send that the provider refused for now', () => {
  test('is repeated after a back-off, under a new key', async () => {
    site.fake.answers(refusal(500), { text: 'Hello.' });
    const runId = await site.asks(ask());
    await turns(1, 999);
    await turns(1, 201);
    expect(site.fake.ledger).toHaveLength(1);
    await turns(1, 0);
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(await outcomes(runId)).toEqual(['refused', 'answered']);
    expect(new Set(keys()).size).toBe(2);
  });

  test('fails the attempt after ten repetitions, and then the retries of the workflow apply', async () => {
    site.fake.always(() => refusal(500));
    const runId = await site.asks(ask());
    await turns(12, 66_001);
    expect(site.fake.ledger).toHaveLength(11);
    expect((await site.scene.stepRows(runId))[0]).toMatchObject({
      status: 'failed',
      willRetry: true,
      error: { name: 'InferenceError', message: expect.stringContaining('not now') },
      ai: { sends: expect.objectContaining({ length: 11 }) },
    });
    clock.advance(1_101);
    await site.scene.dispatcher.runOnce();
    await turns(12, 66_001);
    expect(site.fake.ledger).toHaveLength(22);
    const steps = await site.steps(runId);
    expect(steps.map(({ attempt, status }) => `${attempt} ${status}`)).toEqual(['1 failed', '2 failed']);
    expect(await site.usage(runId)).toEqual([]);
  });

  test('spends nothing of its budget if the lane is held', async () => {
    site.fake.always(() => refusal(529));
    const runId = await site.asks(ask());
    await turns(30, 60_001);
    expect(site.fake.ledger).toHaveLength(30);
    expect(await site.calls()).toMatchObject([{ failures: 0 }]);
    expect(inferenceTally(site.test.engine).holds.get('anthropic')).toBe(30);
    site.fake.always(() => ({ text: 'Hello.' }));
    await turns(1, 0);
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded' });
  });
});

describe('a lane', () => {
  const heldMs = async () => {
    const [lane] = await site.test.db.prisma.inferenceLane.findMany();
    return lane?.heldUntil ? lane.heldUntil.getTime() - clock.now().getTime() : undefined;
  };

  test.each([
    ['retry-after-ms', { 'retry-after-ms': '1500' }, 1_500],
    ['Retry-After in seconds', { 'retry-after': '20' }, 20_000],
    ['Retry-After of a day, cut to ten minutes', { 'retry-after': '86400' }, 600_000],
    ['a second without a word', {}, 1_000],
  ])('is held for %s', async (_, headers, ms) => {
    site.fake.answers(refusal(429, {}, headers));
    await site.asks(ask());
    await turns(1, 0);
    expect(await heldMs()).toBe(ms);
    clock.advance(ms - 1);
    await turns(1, 1);
    expect(site.fake.ledger).toHaveLength(1);
    await turns(1, 0);
    expect(site.fake.ledger).toHaveLength(2);
    expect(await heldMs()).toBeUndefined();
  });

  test('is held until Retry-After as a date', async () => {
    const at = new Date(clock.now().getTime() + 30_000);
    site.fake.answers(refusal(503, {}, { 'retry-after': at.toUTCString() }));
    await site.asks(ask());
    await turns(1, 0);
    expect((await heldMs()) ?? 0).toBeGreaterThan(28_999);
    expect((await heldMs()) ?? 0).toBeLessThanOrEqual(30_000);
  });

  test('is held by an overload inside a stream that began', async () => {
    site.fake.answers({ fault: { errorFirst: { type: 'overloaded_error', message: 'Overloaded' } } });
    await site.asks(ask());
    await turns(1, 0);
    expect(await heldMs()).toBe(1_000);
  });

  test('says why after a refusal for good, and lets further calls through', async () => {
    site.fake.answers(refusal(429, { type: 'insufficient_quota', code: 'insufficient_quota' }));
    const first = await site.asks(ask());
    await turns(1, 0);
    expect((await site.steps(first))[0]).toMatchObject({ status: 'failed', attempt: 1, willRetry: false });
    const [lane] = await site.test.db.prisma.inferenceLane.findMany();
    expect(lane).toMatchObject({ heldFor: expect.stringContaining('not now'), heldUntil: null });
    const second = await site.asks(ask());
    await turns(1, 0);
    expect((await site.steps(second))[0]).toMatchObject({ status: 'succeeded' });
  });
});

describe('a final refusal', () => {
  test.each([400, 401, 403, 404, 422])('of status %i fails the step now, whatever its attempts', async (status) => {
    site.fake.answers(refusal(status));
    const runId = await site.asks(ask());
    await turns(2, 60_000);
    expect((await site.steps(runId))[0]).toMatchObject({
      status: 'failed',
      willRetry: false,
      error: { name: 'InferenceError', message: expect.stringContaining(String(status)) },
    });
    expect(site.fake.ledger).toHaveLength(1);
  });
});

describe('a send whose end is unknown', () => {
  const faults: Turn['fault'][] = [
    'hang before headers',
    'hang after headers',
    'hang midway',
    'reset before headers',
    'reset midway',
    'cut midway',
    'no JSON',
    'empty',
    { errorMidway: { type: 'api_error', message: 'broken' } },
  ];
  test.each(faults)('by %j is repeated under the same key, and recorded as spend', async (fault) => {
    site.fake.answers({ text: ['a', 'b'], ...(fault && { fault }) }, refusal(500), { text: 'Hello.' });
    const runId = await site.asks(ask());
    await turns(3, 2_300);
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded', output: { text: 'Hello.' } });
    expect(await outcomes(runId)).toEqual(['unknown', 'refused', 'answered']);
    const [first, second, third] = keys();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(await site.usage(runId)).toMatchObject([
      { send: 1, unknown: true },
      { send: 3, unknown: false, tokensIn: 10n },
    ]);
  });

  test('records the input tokens that a cut stream had reported', async () => {
    site.fake.answers({ text: ['a', 'b'], usage: { input: 70, output: 9 }, fault: 'reset midway' });
    const runId = await site.asks(ask());
    await turns(1, 0);
    expect(await site.usage(runId)).toMatchObject([{ tokensIn: 70n, unknown: true }]);
  });

  test('is not repeated where the request forbids it', async () => {
    site.fake.answers({ text: ['a', 'b'], fault: 'reset midway' });
    const runId = await site.asks(ask({ onUnknown: 'fail' }));
    await turns(2, 60_000);
    expect((await site.steps(runId))[0]).toMatchObject({
      status: 'failed',
      willRetry: false,
      error: { name: 'InferenceUnknownError' },
    });
    expect(site.fake.ledger).toHaveLength(1);
  });

  test('fails the step if the answer is too large', async () => {
    site.fake.answers({ fault: 'endless' });
    const runId = await site.asks(ask());
    await turns(2, 60_000);
    expect((await site.steps(runId))[0]).toMatchObject({
      status: 'failed',
      willRetry: false,
      error: { name: 'InferenceError', message: expect.stringContaining('too large') },
    });
    expect(site.fake.ledger).toHaveLength(1);
    expect(await site.usage(runId)).toMatchObject([{ unknown: true }]);
  });
});

describe('a provider that cannot be reached', () => {
  test('counts as a refusal: nothing was sent', async () => {
    const { engine } = site.test;
    const usual = engine.settings.inference;
    const addresses = { closed: 'http://127.0.0.1:9', nowhere: 'http://nowhere.invalid' };
    for (const baseUrl of Object.values(addresses)) {
      engine.settings.inference = { ...usual, providers: { anthropic: { apiKey: 'k', baseUrl } } };
      const runId = await site.asks(ask());
      await turns(1, 1_200);
      expect(await outcomes(runId)).toEqual(['refused']);
      expect(await site.calls()).toMatchObject([{ failures: 1 }]);
      engine.settings.inference = usual;
      await turns(1, 0);
      expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded' });
      await site.test.db.query('truncate inference_lane, inference_key');
    }
  });
});
