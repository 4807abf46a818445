import type { EngineContext } from '../context.ts';
import { findConnections } from './sql/findConnections.ts';

/** The connections of a dispatcher that still stand for a runner: a newer one elsewhere takes that from them. */
export async function currentConnections(ctx: EngineContext, dispatcherId: string): Promise<Set<string>> {
  const rows = await findConnections(ctx.db, { dispatcherId });
  return new Set(rows.map((row) => row.connection_id));
}
