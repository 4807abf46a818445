import type { OpcodeKind } from '../protocol.ts';
import type { Report } from './opcodeText.ts';

export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/**
 * How a pass ended: with the handler, or with what its new steps came to, in the order in which the handler reached them.
 */
export type PassEnd =
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  | {
      readonly kind: 'discovered';
      readonly reports: readonly Report[];
      /** The handler reached further new steps, which were left to the next pass. */
      readonly hasMore: boolean;
    };

/** Steps that have no effect and bring no result but that time passes, or that something happens. */
const waits: ReadonlySet<OpcodeKind> = new Set<OpcodeKind>(['Sleep', 'SleepUntil', 'WaitForEvent']);

/**
 * What a pass came to (P3 of `Pass`). `outcome`: how the handler ended, if it did; `left`: the kinds of the new steps that were
 * not performed.
 */
export function passEnd(
  outcome: Outcome | undefined,
  reports: readonly Report[],
  left: ReadonlySet<OpcodeKind>,
): PassEnd {
  const merelyWaits = [...reports.map(({ kind }) => kind), ...left].every((kind) => waits.has(kind));
  if (outcome !== undefined && merelyWaits) return { kind: 'settled', outcome };
  return { kind: 'discovered', reports, hasMore: left.size > 0 };
}
