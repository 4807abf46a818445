import type { EngineContext } from '../context.ts';
import { findStrayConnections, type OpenConnection } from './sql/findStrayConnections.ts';

export type { OpenConnection } from './sql/findStrayConnections.ts';

/** Connections, by id, that do not stand for their runner any more. */
export interface StrayConnections {
  /** A newer connection does, here or elsewhere. */
  replaced: ReadonlySet<string>;
  /**
   * The connection is stray: its dispatcher was found silent or is gone, or another connection took
   * the runner's place.
   */
  forgotten: ReadonlySet<string>;
}

/** Looks which of these open connections the registry has taken their runner from. */
export async function strayConnections(
  ctx: EngineContext,
  connections: readonly OpenConnection[],
): Promise<StrayConnections> {
  const rows = await findStrayConnections(ctx.db, { connections });
  const ids = (isReplaced: boolean): Set<string> =>
    new Set(rows.filter((row) => row.isReplaced === isReplaced).map((row) => row.connectionId));
  return { replaced: ids(true), forgotten: ids(false) };
}
