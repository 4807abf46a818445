import type { Queryable } from '../db/index.ts';
import { loadMemos, type SavedStep } from '../work/index.ts';
import { Memo, type StepState } from './memo.ts';

/** The memos of runs, by run. A run without steps has an empty one. */
export async function readMemos(db: Queryable, runIds: readonly string[]): Promise<Map<string, Memo>> {
  const steps = new Map<string, StepState[]>(runIds.map((runId) => [runId, []]));
  for (const row of runIds.length === 0 ? [] : await loadMemos(db, { runIds })) {
    steps.get(row.runId)?.push(stateOf(row));
  }
  return new Map([...steps].map(([runId, states]) => [runId, Memo.of(states)]));
}

/** The memo of a run whose steps have been read, in their order. */
export const memoOf = (steps: readonly SavedStep[]): Memo => Memo.of(steps.map(stateOf));

const stateOf = (row: SavedStep): StepState => ({
  stepId: row.stepId,
  index: row.index,
  attempt: row.attempt,
  name: row.name,
  op: row.op,
  status: row.status,
  output: row.output ?? undefined,
  error: row.error ?? undefined,
  willRetry: row.willRetry,
  runAfter: row.runAfter ?? undefined,
});
