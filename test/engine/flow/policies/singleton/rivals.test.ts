import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../../src/engine/context.ts';
import { sendEvent } from '../../../../../src/engine/events/index.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { useEngine } from '../../../../support/engine.ts';
import { type FlowScene, openFlowScene, outcomeOf } from '../../flowScene.ts';

/**
 * Several engines on one database send at once. Their decisions together must equal those of a
 * single engine.
 */
const clock = new ManualClock();
const test = useEngine({ clock });
let engines: EngineContext[];

beforeAll(async () => {
  const { db, engine } = test;
  const { log, settings } = engine;
  engines = [engine, ...[1, 2].map(() => createEngine({ db, log, clock, settings }))];
});

/** Sends all payloads of a burst at once, distributed over the engines. */
const burst = (project: FlowScene, name: string, payloads: readonly unknown[]) =>
  Promise.all(
    payloads.map(async (data, n) => {
      const engine = engines[n % engines.length] ?? test.engine;
      return sendEvent(engine, { projectId: project.projectId, input: { name, data: RawJson.of(data) } });
    }),
  );

const bursts = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 1_500 }),
    keys: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 12 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const tally = (outcomes: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const each of outcomes) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
};

describe('several processes at once', () => {
  it('start one run per idempotency value and period', async () => {
    await fc.assert(
      fc.asyncProperty(bursts, async (arrivals) => {
        const project = await openFlowScene(test, [{ name: 'i', idempotency: { key: 'k', periodMs: 1_000 } }]);
        const heldUntil = new Map<number, number>();
        let now = 0;
        for (const { afterMs, keys } of arrivals) {
          clock.advance(afterMs);
          now += afterMs;
          const expected = keys.map((k) => {
            if ((heldUntil.get(k) ?? 0) > now) return 'deduped';
            heldUntil.set(k, now + 1_000);
            return 'run';
          });
          const answers = await burst(
            project,
            'i',
            keys.map((k) => ({ k })),
          );
          expect(tally(answers.map(outcomeOf))).toEqual(tally(expected));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('let exactly as many starts of a rate pass as GCRA allows', async () => {
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 1, max: 4 }), async (arrivals, limit) => {
        const project = await openFlowScene(test, [{ name: 'r', rateLimit: { limit, perMs: 1_000, key: 'k' } }]);
        const tat = new Map<number, number>();
        let now = 0;
        for (const { afterMs, keys } of arrivals) {
          clock.advance(afterMs);
          now += afterMs * limit;
          const expected = keys.map((k) => {
            const base = Math.max(tat.get(k) ?? 0, now);
            if (base - now > 1_000 * (limit - 1)) return 'dropped';
            tat.set(k, base + 1_000);
            return 'run';
          });
          const answers = await burst(
            project,
            'r',
            keys.map((k) => ({ k })),
          );
          expect(tally(answers.map(outcomeOf))).toEqual(tally(expected));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('give every throttled start its own spaced time, and lose none', async () => {
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 1, max: 4 }), async (arrivals, limit) => {
        const project = await openFlowScene(test, [{ name: 't', throttle: { limit, perMs: 1_000, key: 'k' } }]);
        const tat = new Map<number, number>();
        const expected = new Map<number, number[]>();
        const begun = clock.now().getTime();
        let now = 0;
        for (const { afterMs, keys } of arrivals) {
          clock.advance(afterMs);
          now += afterMs * limit;
          for (const k of keys) {
            const at = Math.max(tat.get(k) ?? 0, now);
            tat.set(k, at + 1_000);
            expected.set(k, [...(expected.get(k) ?? []), Math.ceil(at / limit)]);
          }
          await burst(
            project,
            't',
            keys.map((k) => ({ k })),
          );
        }
        const starts = new Map<number, number[]>();
        for (const run of await project.runs()) {
          const { k } = run.input as { k: number };
          const at = (run.startAt ?? run.createdAt).getTime() - begun;
          starts.set(
            k,
            [...(starts.get(k) ?? []), at].sort((a, b) => a - b),
          );
        }
        expect(starts).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  it.each(['skip', 'cancel'] as const)('never leave two unfinished runs in one singleton (%s)', async (mode) => {
    await fc.assert(
      fc.asyncProperty(bursts, async (arrivals) => {
        const project = await openFlowScene(test, [{ name: 's', singleton: { key: 'k', mode } }]);
        let runs = 0;
        for (const { keys } of arrivals) {
          const answers = await burst(
            project,
            's',
            keys.map((k) => ({ k })),
          );
          const open = await project.runs({ status: 'queued' });
          const held = open.map((run) => (run.input as { k: number }).k);
          expect(new Set(held).size).toBe(held.length);
          const started = answers.filter((each) => each.runId !== undefined).length;
          runs += started;
          expect(started).toBe(mode === 'skip' ? new Set(keys).size : keys.length);
          // All runs end, so the next burst finds every singleton free.
          if (mode === 'skip') await project.settle();
        }
        expect(await project.runs()).toHaveLength(runs);
      }),
      { numRuns: 10 },
    );
  });
});
