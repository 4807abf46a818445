import type { Queryable } from '../db/index.ts';
import { Memo, type StepState } from './memo.ts';
import { loadMemos } from './sql/loadMemos.ts';

/** The memos of runs, by run. A run without steps has an empty one. */
export async function readMemos(db: Queryable, runIds: readonly string[]): Promise<Map<string, Memo>> {
  const steps = new Map<string, StepState[]>(runIds.map((runId) => [runId, []]));
  for (const row of runIds.length === 0 ? [] : await loadMemos(db, { runIds })) {
    steps.get(row.runId)?.push({
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
  }
  return new Map([...steps].map(([runId, states]) => [runId, Memo.of(states)]));
}
