import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import type { Gates } from '../flow/index.ts';
import type { NewRun, Withheld } from '../ingest/index.ts';

/**
 * A run that is to start, as the gates of the start see it. Each gate looks at those that none
 * before it withheld.
 */
export interface StartCandidate {
  readonly run: Pick<NewRun, 'runId' | 'projectId' | 'app' | 'workflow'>;
  readonly gates: Gates;
  /** Why nothing starts, or not now. */
  withheld: Withheld | undefined;
  /** The run because of which nothing starts. */
  existingRunId?: string | undefined;
  /** Before this it does not start. */
  startAt: Date | undefined;
  /** The `singleton` place that it has taken. */
  place: string | undefined;
}

/** A start on its way through all gates. */
export interface Candidate extends StartCandidate {
  /** As planned. */
  readonly run: NewRun;
}

/** Where the gates stand: one transaction, which creates what they let through, or nothing. */
export interface Scene {
  ctx: EngineContext;
  tx: Transaction;
  /** A run whose queue row the caller has locked, and whose end is the caller's to write. */
  own: string | undefined;
  /** Set when `own` has lost its `singleton` place to one of the candidates. */
  isOwnDisplaced: boolean;
}

/**
 * One policy. Decides about each candidate: sets `withheld`, `startAt` or `place`, or leaves it
 * alone.
 */
export type Gate = (scene: Scene, candidates: readonly Candidate[]) => Promise<void>;

/** One that is passed by forks as well, of which nobody asks whether they should be. */
export type StartGate = (scene: Scene, candidates: readonly StartCandidate[]) => Promise<void>;

/** Those that a policy has to look at: it is set, and nothing has withheld them yet. */
export function asking<Name extends keyof Gates, Asking extends StartCandidate>(
  candidates: readonly Asking[],
  name: Name,
): { candidate: Asking; policy: NonNullable<Gates[Name]> }[] {
  return candidates.flatMap((candidate) => {
    const policy = candidate.withheld === undefined ? candidate.gates[name] : undefined;
    return policy ? [{ candidate, policy: policy as NonNullable<Gates[Name]> }] : [];
  });
}
