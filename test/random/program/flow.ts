import type { FlowControl } from '@holdfast/sdk/protocol';
import fc from 'fast-check';

/** The key of a policy: the colour that every event of a storm has, if its start has one. */
const key = fc.option(fc.constant('key'), { nil: undefined, freq: 2 });

const rate = fc.record({ limit: fc.integer({ min: 1, max: 2 }), perMs: fc.constantFrom(2_000, 10_000), key });

const shift = fc.record({ shiftMs: fc.constantFrom(-3_000, 3_000, 60_000) });

const slots: fc.Arbitrary<FlowControl> = fc.record({
  concurrency: fc.record({ limit: fc.constantFrom(1, 1, 2), key }),
  priority: fc.option(shift, { nil: undefined, freq: 2 }),
});

const urgent: fc.Arbitrary<FlowControl> = fc.record({ priority: shift });

const spaced: fc.Arbitrary<FlowControl> = fc.record({ throttle: rate });

/** At most one run. */
const single: fc.Arbitrary<FlowControl> = fc.record({
  singleton: fc.record({ mode: fc.constantFrom('skip', 'cancel', undefined), key }),
});

const skipping: fc.Arbitrary<FlowControl> = fc.record({
  singleton: fc.record({ mode: fc.constant('skip' as const), key }),
});

/** One start per value. */
const once: fc.Arbitrary<FlowControl> = fc.record({
  idempotency: fc.record({ periodMs: fc.constantFrom(2_000, 5_000, 30_000, undefined), key }),
});

const bounded: fc.Arbitrary<FlowControl> = fc.record({ rateLimit: rate });

/** One run for many starts. */
const quiet: fc.Arbitrary<FlowControl> = fc.record({
  debounce: fc.record({ periodMs: fc.constantFrom(300, 3_000), key }),
});
const gathered: fc.Arbitrary<FlowControl> = fc.record({
  batch: fc.record({ maxSize: fc.integer({ min: 1, max: 3 }), timeoutMs: fc.constantFrom(300, 3_000), key }),
});

/** Limits on AI spend. A step spends ten tokens, or a little more. */
const capped: fc.Arbitrary<FlowControl> = fc.record({
  cap: fc.record({ maxTokens: fc.constantFrom(5, 10, 20) }),
});
const budgeted: fc.Arbitrary<FlowControl> = fc.record({
  budget: fc.record({
    maxTokens: fc.constantFrom(10, 10, 20, 30),
    windowMs: fc.constantFrom(3_000, 20_000),
    warnAtPct: fc.constantFrom(undefined, 50),
  }),
});
const metered: fc.Arbitrary<FlowControl> = fc.record({
  tokenThrottle: fc.record({ tokens: fc.constantFrom(5, 10), perMs: fc.constantFrom(2_000, 8_000), key }),
});

/** Sometimes two kinds at once: the second holds back what the first lets through. */
const both = (one: fc.Arbitrary<FlowControl>, other: fc.Arbitrary<FlowControl>): fc.Arbitrary<FlowControl> =>
  fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));

/** The policies of a workflow; undefined for none. */
export const flows: fc.Arbitrary<FlowControl | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: slots },
  { weight: 2, arbitrary: urgent },
  { weight: 2, arbitrary: spaced },
  { weight: 1, arbitrary: both(slots, spaced) },
  { weight: 4, arbitrary: single },
  { weight: 2, arbitrary: once },
  { weight: 2, arbitrary: bounded },
  { weight: 2, arbitrary: quiet },
  { weight: 2, arbitrary: gathered },
  { weight: 1, arbitrary: both(quiet, gathered) },
  { weight: 1, arbitrary: both(fc.oneof(quiet, gathered), fc.oneof(slots, spaced, single, once, bounded)) },
  { weight: 1, arbitrary: both(slots, single) },
  { weight: 2, arbitrary: capped },
  { weight: 4, arbitrary: budgeted },
  { weight: 2, arbitrary: metered },
  { weight: 1, arbitrary: both(fc.oneof(capped, metered), fc.oneof(budgeted, slots, spaced, single)) },
  // A key is released if its start made no run.
  { weight: 2, arbitrary: both(once, fc.oneof(bounded, skipping)) },
  { weight: 1, arbitrary: both(fc.oneof(once, spaced), fc.oneof(single, bounded)) },
);

/** How many runs of the project may execute at once; 0 for any number. */
export const ceilings: fc.Arbitrary<number> = fc.constantFrom(0, 0, 0, 1, 1, 2);

/** The names of the policies of a workflow. */
export const policiesOf = (flow: FlowControl | undefined): string[] =>
  Object.entries(flow ?? {}).flatMap(([name, policy]) => (policy === undefined ? [] : [name]));
