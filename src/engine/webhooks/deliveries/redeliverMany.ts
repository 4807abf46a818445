import { recordControl } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import { checkFilter, matchDeliveries, type RedeliverFilter } from './matchDeliveries.ts';
import { redeliver } from './redeliverDelivery.ts';

export interface RedeliverManyCall {
  projectId: string;
  actor: string | undefined;
  filter: RedeliverFilter;
}

/** The outcome of a call, in deliveries. */
export interface RedeliverCounts {
  /** The entry of the audit log; undefined if it was not written. */
  id: string | undefined;
  /** All matches, also those beyond the ceiling; counted up to 100,000. */
  matched: number;
  redelivered: number;
  /** Matches with an attempt in flight. */
  skipped: number;
  /** Whether more matched than one call redelivers. */
  capped: boolean;
}

/**
 * Attempts the newest of the deliveries that a filter selects again, at most 1000, each at once and
 * with a new budget. All are made due in one statement. Throws `invalid` without a filter.
 */
export async function redeliverMany(ctx: EngineContext, call: RedeliverManyCall): Promise<RedeliverCounts> {
  const { projectId, actor } = call;
  const filter = checkFilter(call.filter);
  const { deliveries, matched, capped } = await matchDeliveries(ctx, projectId, filter);
  const made = deliveries.length === 0 ? [] : await redeliver(ctx, ctx.db, { projectId, deliveries });
  const counts = { matched, redelivered: made.length, skipped: deliveries.length - made.length, capped };
  const { deliveryIds, ...shown } = filter;
  // The log names the number of the ids, as that of bulk calls on runs.
  const detail = { filter: { ...shown, ...(deliveryIds && { deliveryIds: deliveryIds.length }) }, ...counts };
  const id = await recordControl(ctx, { projectId, action: 'bulk_redeliver', actor, detail });
  return { id, ...counts };
}
