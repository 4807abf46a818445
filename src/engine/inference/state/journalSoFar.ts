import type { Queryable } from '../../db/index.ts';
import { type ShownSend, shownCall } from '../ledger/stepJournal.ts';
import { type CallSoFarRow, readCallsSoFar } from './sql/readCallsSoFar.ts';

/** An attempt of a step that called a model, and has not settled. */
export interface CallingStep {
  runId: string;
  index: number;
  attempt: number;
}

/**
 * What steps show as their `ai` (2.5) while they wait for a model, or after they were cancelled
 * meanwhile: the model and the sends so far. JSON texts in the order of `steps`; undefined if
 * nothing is known.
 */
export async function readJournalsSoFar(db: Queryable, steps: readonly CallingStep[]): Promise<(string | undefined)[]> {
  const calls = new Map<string, CallSoFarRow[]>();
  for (const row of await readCallsSoFar(db, { steps })) {
    const key = keyOf({ ...row, index: row.stepIndex });
    calls.set(key, [...(calls.get(key) ?? []), row]);
  }
  return steps.map((step) => {
    const [first, ...others] = calls.get(keyOf(step)) ?? [];
    return first && JSON.stringify(shownCall(first, [first, ...others].filter(isSend)));
  });
}

const keyOf = ({ runId, index, attempt }: CallingStep): string => `${runId} ${index} ${attempt}`;

const isSend = (row: CallSoFarRow): row is CallSoFarRow & ShownSend => row.number !== null && row.startedAt !== null;
