import type { Queryable } from '../db/index.ts';
import type { RunSpend } from './runSpend.ts';
import { sumRunSpend } from './sql/sumRunSpend.ts';

/** What each of the runs has spent; one that made no call is not among them. */
export async function readRunSpends(db: Queryable, runIds: readonly string[]): Promise<Map<string, RunSpend>> {
  const rows = runIds.length === 0 ? [] : await sumRunSpend(db, { runIds });
  return new Map(rows.map(({ runId, tokens, cost }) => [runId, { tokens, cost: cost ?? undefined }]));
}
