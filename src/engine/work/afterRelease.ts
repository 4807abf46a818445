import type { EngineContext } from '../context.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import type { Taken } from './claimLimited.ts';
import type { FreedRow } from './sql/endLeasesSql.ts';

/** The slot and ceiling that a released run had occupied. */
export type Released = Taken & { projectId: string };

/** L4. After the commit of a release: opens the gates of the slots and ceilings that it freed. */
export function afterRelease(ctx: EngineContext, released: readonly Released[]): void {
  openGatesSoon(ctx, {
    slots: released.flatMap((each) => each.slot ?? []),
    projectIds: released.flatMap((each) => (each.hasCeiling ? each.projectId : [])),
  });
}

/** The same for ended leases. Announces the runs that can be claimed. */
export function afterEndedLeases(ctx: EngineContext, rows: readonly FreedRow[]): void {
  if (rows.length === 0) return;
  const laneIds = new Set(rows.flatMap((row) => (row.isReady ? row.laneId : [])));
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
  openGatesSoon(ctx, {
    slots: rows.flatMap((row) => row.slot ?? []),
    projectIds: [...new Set(rows.map((row) => row.projectId))],
  });
}
