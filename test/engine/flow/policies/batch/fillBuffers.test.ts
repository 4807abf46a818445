import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Candidate } from '../../../../../src/engine/flow/gate.ts';
import { type Filling, fillBuffers } from '../../../../../src/engine/flow/policies/batch/fillBuffers.ts';
import type { NewRun } from '../../../../../src/engine/ingest/index.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';

const scope = { projectId: 'p', app: 'a', workflow: 'w', key: '', runner: '' };

const run: NewRun = {
  ...{ runId: 'r', projectId: 'p', app: 'a', workflow: 'w', version: 'v', laneId: 1, triggerKind: 'event' },
  ...{ eventName: 'e', eventId: undefined, session: undefined, runner: undefined, depth: 0, tags: undefined },
  ...{ input: RawJson.of({}), events: undefined, parent: undefined, onFailureOf: undefined, dedupe: undefined },
  ...{
    slot: undefined,
    slotScope: undefined,
    shiftMs: 0,
    tokenScope: undefined,
    maxDurationMs: undefined,
    cancellable: false,
  },
  ...{ gates: undefined, singleton: undefined, startAt: undefined, owedTurn: undefined },
};

const candidate = (bytes: number): Candidate => ({
  run: { ...run, input: RawJson.of('x'.repeat(bytes - 2)) },
  ...{ gates: {}, event: undefined, withheld: undefined, startAt: undefined, singleton: undefined },
});

interface Case {
  open: { items: number; bytes: number };
  sizes: number[];
  maxSize: number;
  limits: { batchMaxEvents: number; batchMaxBytes: number };
}

function fill({ open, sizes, maxSize, limits }: Case): Filling {
  const asking = sizes.map((bytes) => ({ candidate: candidate(bytes), policy: { maxSize, timeoutMs: 5 } }));
  return fillBuffers({ id: 'first', ...open }, { scope, asking }, limits);
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    sizes: fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 1, maxLength: 40 }),
    maxSize: fc.integer({ min: 1, max: 12 }),
    limits: fc.record({
      batchMaxEvents: fc.integer({ min: 1, max: 12 }),
      batchMaxBytes: fc.integer({ min: 1, max: 100 }),
    }),
    open: fc.nat(11),
  })
  .map(({ open, ...rest }) => {
    // The open buffer may have been filled under another policy. A buffer with items has bytes.
    return { ...rest, open: { items: open, bytes: open * 2 } };
  });

it('every start gets into one buffer, in order, and no buffer exceeds its limits', () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { first, further, items } = fill(given);
      expect(items.map(({ run: { input } }) => Buffer.byteLength(input.text))).toEqual(given.sizes);
      const order = [first, ...further].map((each) => each.id);
      const positions = items.map(({ bufferId, position }) => [order.indexOf(bufferId), position] as const);
      expect(positions).toEqual([...positions].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
      const maxItems = Math.min(given.maxSize, given.limits.batchMaxEvents);
      for (const buffer of [first, ...further]) {
        const own = items.filter(({ bufferId }) => bufferId === buffer.id);
        const before = buffer === first ? given.open : { items: 0, bytes: 0 };
        expect(buffer.items).toBe(before.items + own.length);
        expect(own.map(({ position }) => position)).toEqual(own.map((_, n) => before.items + n));
        if (own.length > 0) {
          expect(buffer.items).toBeLessThanOrEqual(maxItems);
          if (buffer.items > 1) expect(buffer.bytes).toBeLessThanOrEqual(given.limits.batchMaxBytes);
        }
      }
    }),
    { numRuns: 500 },
  );
});

it('only the last buffer may stay open, and is never full', () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { first, further } = fill(given);
      const [last, ...before] = [first, ...further].reverse();
      for (const buffer of before) expect(buffer.closed).toBe(true);
      const maxItems = Math.min(given.maxSize, given.limits.batchMaxEvents);
      if (last && !last.closed) expect(last.items).toBeLessThan(maxItems);
    }),
    { numRuns: 500 },
  );
});

it('a start that exceeds the byte limit gets its own buffer', () => {
  const limits = { batchMaxEvents: 10, batchMaxBytes: 100 };
  const { first, further } = fill({ open: { items: 0, bytes: 0 }, sizes: [50, 500, 20, 20], maxSize: 10, limits });
  expect([first, ...further].map(({ items, bytes, closed }) => [items, bytes, closed])).toEqual([
    [1, 50, true],
    [1, 500, true],
    [2, 40, false],
  ]);
});
