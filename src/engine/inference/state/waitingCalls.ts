import type { Queryable } from '../../db/index.ts';
import { type ShownSend, shownCall } from '../ledger/stepJournal.ts';
import { readWaitingCalls, type WaitingCallRow } from './sql/readWaitingCalls.ts';

/** An attempt of a step. */
export interface WaitingStep {
  runId: string;
  index: number;
  attempt: number;
}

/**
 * What steps that wait for a model show as their `ai` (2.5): the model and the sends so far. JSON
 * texts in the order of `steps`; undefined for a step whose call has ended.
 */
export async function readWaitingJournals(
  db: Queryable,
  steps: readonly WaitingStep[],
): Promise<(string | undefined)[]> {
  const rows = await readWaitingCalls(db, { steps });
  const calls = new Map<string, WaitingCallRow[]>();
  for (const row of rows) {
    const key = keyOf(row.runId, row.stepIndex);
    calls.set(key, [...(calls.get(key) ?? []), row]);
  }
  return steps.map(({ runId, index }) => {
    const [first, ...others] = calls.get(keyOf(runId, index)) ?? [];
    return first && JSON.stringify(shownCall(first, [first, ...others].filter(isSend)));
  });
}

/** A run has at most one call for each position. */
const keyOf = (runId: string, stepIndex: number): string => `${runId} ${stepIndex}`;

const isSend = (row: WaitingCallRow): row is WaitingCallRow & ShownSend =>
  row.number !== null && row.startedAt !== null;
