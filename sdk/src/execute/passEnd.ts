import type { OpcodeKind } from '../protocol.ts';
import type { Report } from './opcodeText.ts';

export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/**
 * How a pass ended: with the handler, or with what its new steps came to, in the order in which the
 * handler reached them.
 */
export type PassEnd =
  | {
      readonly kind: 'settled';
      readonly outcome: Outcome;
      /**
       * Names of child runs and approvals that the handler reached, and did not wait for: they are
       * not begun.
       */
      readonly unbegun: readonly string[];
    }
  | {
      readonly kind: 'discovered';
      readonly reports: readonly Report[];
      /**
       * The service is to ask again at once: further new steps were left to the next pass, or the
       * handler is over.
       */
      readonly asksAgain: boolean;
    };

/**
 * Steps that only begin in this pass, and whose results a handler that is over does not take any
 * more.
 */
const waits: ReadonlySet<OpcodeKind> = new Set<OpcodeKind>(['Sleep', 'SleepUntil', 'WaitForEvent']);
const calls: ReadonlySet<OpcodeKind> = new Set<OpcodeKind>(['RunWorkflow', 'Approval']);

const onlyBegins = (kind: OpcodeKind): boolean => waits.has(kind) || calls.has(kind);

/**
 * What a pass came to (P3 of `Pass`). `outcome`: how the handler ended, if it did; `left`: the
 * kinds of the new steps that were not performed.
 */
export function passEnd(
  outcome: Outcome | undefined,
  reports: readonly Report[],
  left: ReadonlySet<OpcodeKind>,
): PassEnd {
  if (outcome === undefined) return { kind: 'discovered', reports, asksAgain: left.size > 0 };
  const done = reports.filter(({ kind }) => !onlyBegins(kind));
  if (done.length > 0) return { kind: 'discovered', reports: done, asksAgain: true };
  // Work that is left is reached behind these only once they are saved.
  if (![...left].every(onlyBegins)) return { kind: 'discovered', reports, asksAgain: true };
  return { kind: 'settled', outcome, unbegun: reports.flatMap(({ kind, name }) => (calls.has(kind) ? [name] : [])) };
}
