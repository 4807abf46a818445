import { recordControl } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { conflict, notFound } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { originLane } from './originLane.ts';
import type { DeliveryRow } from './reads/deliveryRow.ts';
import { redeliverDeliveries } from './sql/redeliverDeliveries.ts';
import { selectDeliveryRows } from './sql/selectDeliveryRows.ts';

export interface RedeliverCall {
  projectId: string;
  deliveryId: string;
  /** The name of the caller's key. */
  actor: string | undefined;
}

/**
 * Attempts a delivery again, at once and with a new budget (3.3). Its log of attempts is kept.
 * Throws `notFound`, and `conflict` while an attempt is in flight.
 */
export async function redeliverDelivery(ctx: EngineContext, call: RedeliverCall): Promise<void> {
  const { projectId, deliveryId, actor } = call;
  const [delivery] = isId(deliveryId) ? await selectDeliveryRows(ctx.db, { projectId, ids: [deliveryId] }) : [];
  if (!delivery) throw notFound('webhook delivery not found');
  const once = ctx.origin?.once;
  const act = async (tx: Transaction): Promise<void> => {
    const [made] = await redeliver(ctx, tx, { projectId, deliveries: [delivery] });
    if (made === undefined) throw conflict('deliveryInFlight');
    once?.note({ id: deliveryId });
  };
  // The statement needs a transaction only to share it with the claim of an agent's call.
  await (once ? ctx.db.transaction(act) : act(ctx.db));
  const { endpointId, runId } = delivery;
  await recordControl(ctx, {
    projectId,
    action: 'redeliver_webhook',
    runId: runId ?? undefined,
    actor,
    detail: { deliveryId, ...(endpointId !== null && { endpointId }) },
  });
}

/** The fields of a delivery that a further attempt needs. */
export type Redeliverable = Pick<DeliveryRow, 'id' | 'endpointId' | 'url'>;

/** Makes deliveries due, unless they are in flight. Answers the ids of those made due. */
export async function redeliver(
  ctx: EngineContext,
  tx: Transaction,
  { projectId, deliveries }: { projectId: string; deliveries: readonly Redeliverable[] },
): Promise<string[]> {
  const withLanes = deliveries.map(({ id, endpointId, url }) => ({
    id,
    lane: endpointId ?? customLane(projectId, url),
  }));
  const rows = await redeliverDeliveries(tx, { projectId, deliveries: withLanes, now: ctx.clock.sql() });
  tx.afterCommit(() => {
    if (rows.length > 0) ctx.bus.emit('delivery.due', {});
    for (const { id: deliveryId } of rows) ctx.bus.emit('delivery.changed', { projectId, deliveryId });
  });
  return rows.map(({ id }) => id);
}

const customLane = (projectId: string, url: string): string => originLane(projectId, new URL(url).origin);
