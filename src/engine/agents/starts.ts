import type { Queryable } from '../db/index.ts';
import { forbidden } from '../errors.ts';
import type { CallOrigin } from '../origin.ts';
import { findStart } from './sql/findStart.ts';
import { insertStarts } from './sql/insertStarts.ts';

export interface AgentStart {
  runId: string;
  /** The id of the key, or `operator`. */
  key: string;
}

/**
 * Records the runs that agents started, in the transaction that creates the runs: a run is never
 * there without its record.
 */
export async function recordStarts(tx: Queryable, starts: readonly AgentStart[]): Promise<void> {
  if (starts.length > 0) await insertStarts(tx, { starts });
}

/**
 * Throws `forbidden` if the caller is an agent that started the run, directly or by a run that led
 * to it. Starts and what led to them never change, so a look before the decision is enough.
 */
export async function refuseOwnRun(db: Queryable, origin: CallOrigin | undefined, runId: string): Promise<void> {
  if (!origin || origin.decidesOwn) return;
  const [row] = await findStart(db, { runId, key: origin.key });
  if (row?.found) throw forbidden('an agent cannot approve what it started');
}
