import type { Backoff } from '@holdfast/sdk/protocol';
import fc from 'fast-check';
import { keys, type Program, programs, startOf } from '../program/program.ts';

/** What a program has here beyond its steps. */
export interface Extras {
  backoff: Backoff;
  /** An event that cancels its runs, if its key is that of their input. */
  cancelOn: string | undefined;
  maxDuration: number | undefined;
  /** Tokens that its steps may spend. */
  maxTokens: number | undefined;
}

/** A move of the world outside of the runs. `pick` chooses among the present candidates. */
export type Move =
  | { kind: 'advance'; ms: number }
  | { kind: 'send'; name: string; key: string | undefined; dedupeId: string | undefined }
  | { kind: 'decide'; status: 'approved' | 'denied'; pick: number; isEdited: boolean }
  | { kind: 'cancel'; pick: number };

/** Workflows, and what happens while their runs are under way. */
export interface Script {
  programs: (Program & { extras: Extras })[];
  tags: Record<string, string> | undefined;
  session: string | undefined;
  moves: Move[];
}

const extras: fc.Arbitrary<Extras> = fc.record({
  backoff: fc.constantFrom('fixed', 'linear', 'exponential'),
  cancelOn: fc.constantFrom(undefined, undefined, undefined, 'snow', 'hail'),
  maxDuration: fc.constantFrom(undefined, undefined, undefined, 3_000, 30_000),
  maxTokens: fc.constantFrom(undefined, undefined, undefined, 10, 30),
});

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.constantFrom(0, 300, 1_000, 1_300, 2_500, 8_000, 20_000, 60_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      name: fc.constantFrom('rain', 'rain', 'snow', 'snow', 'hail', startOf(0), startOf(1), startOf(2)),
      key: optional(fc.constantFrom(...keys)),
      dedupeId: fc.constantFrom(undefined, undefined, undefined, 'once', 'twice'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      status: fc.constantFrom('approved' as const, 'denied' as const),
      pick: fc.nat({ max: 100 }),
      isEdited: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat({ max: 100 }) }) },
);

export const scripts: fc.Arbitrary<Script> = fc.record({
  programs: fc
    .tuple(programs({ approvals: true, crons: false, flows: false }), fc.array(extras, { minLength: 3, maxLength: 3 }))
    .map(([all, more]) =>
      all.map((program, level) => {
        const own = more[level];
        if (own === undefined) throw new Error('a program has no extras');
        return { ...program, extras: own };
      }),
    ),
  tags: optional(fc.constant({ tenant: 'a' })),
  session: optional(fc.constant('talk')),
  moves: fc.array(moves, { minLength: 1, maxLength: 14, size: 'max' }),
});
