import type { OpcodeKind } from '../protocol.ts';
import type { Report } from './opcodeText.ts';

export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/**
 * How a pass ended: with the handler, or with the reports of new steps, in the order of their
 * calls.
 */
export type PassEnd =
  | {
      readonly kind: 'settled';
      readonly outcome: Outcome;
      /**
       * Names of the child runs, approvals and model calls that the handler called without
       * awaiting. None of them begins.
       */
      readonly unbegun: readonly string[];
    }
  | {
      readonly kind: 'discovered';
      readonly reports: readonly Report[];
      /**
       * Asks the service for another pass at once: more new steps follow, or the handler has ended.
       */
      readonly asksAgain: boolean;
    };

/** Kinds of steps that only begin in a pass. An ended handler ignores their results. */
const waits: ReadonlySet<OpcodeKind> = new Set<OpcodeKind>(['Sleep', 'SleepUntil', 'WaitForEvent']);
const calls: ReadonlySet<OpcodeKind> = new Set<OpcodeKind>(['RunWorkflow', 'Approval', 'Infer']);

const onlyBegins = (kind: OpcodeKind): boolean => waits.has(kind) || calls.has(kind);

/**
 * Decides how a pass ended (P3 of `Pass`). `outcome` is set if the handler ended. `left` holds the
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
  // Only after these steps are saved does the handler reach the remaining work.
  if (![...left].every(onlyBegins)) return { kind: 'discovered', reports, asksAgain: true };
  return { kind: 'settled', outcome, unbegun: reports.flatMap(({ kind, name }) => (calls.has(kind) ? [name] : [])) };
}
