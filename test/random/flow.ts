import type { FlowControl } from '@holdfast/sdk/protocol';
import fc from 'fast-check';

/** What a key of a policy looks at: the colour that every event of a storm has, where its start has one. */
const key = fc.option(fc.constant('key'), { nil: undefined, freq: 2 });

const rate = fc.record({ limit: fc.integer({ min: 1, max: 2 }), perMs: fc.constantFrom(2_000, 10_000), key });

const slots: fc.Arbitrary<FlowControl> = fc.record({
  concurrency: fc.record({ limit: fc.constantFrom(1, 1, 2), key }),
  priority: fc.option(fc.record({ shiftMs: fc.constantFrom(-3_000, 3_000) }), { nil: undefined, freq: 2 }),
});

const spaced: fc.Arbitrary<FlowControl> = fc.record({ throttle: rate });

/** Now and then two kinds at once: what one lets through, the other holds back. */
const both = (one: fc.Arbitrary<FlowControl>, other: fc.Arbitrary<FlowControl>): fc.Arbitrary<FlowControl> =>
  fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));

/** The policies of a workflow; undefined: none. */
export const flows: fc.Arbitrary<FlowControl | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: slots },
  { weight: 2, arbitrary: spaced },
  { weight: 1, arbitrary: both(slots, spaced) },
);

/** How many runs of the project may execute at once; 0: any number. */
export const ceilings: fc.Arbitrary<number> = fc.constantFrom(0, 0, 0, 1, 2);
