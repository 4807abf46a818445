import { type Admission, admissionTransaction, admitWithin, StaleIntake } from '../../admission/index.ts';
import { recordControl } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import { conflict, notFound } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import type { Intake } from '../../ingest/index.ts';
import { anySize } from '../../paging/index.ts';
import { suspensionOf } from '../../projects/index.ts';
import { onCurrentSnapshot, refusal } from '../../registry/index.ts';
import { sourceMissing } from '../config/index.ts';
import { deliver } from './deliverMessage.ts';
import { readPayload } from './message.ts';
import { envelopeOf } from './messageHeaders.ts';
import { eventOf, planMessage } from './planMessage.ts';
import { type Outcome, outcomeOf } from './recordMessages.ts';
import { appendReplay } from './sql/appendReplay.ts';
import { findReplaySource, type MessageSourceRow } from './sql/findMessageSources.ts';
import { lockSourceDelivery } from './sql/lockSourceDelivery.ts';
import { selectSourceDeliveries, selectStoredMessages } from './sql/selectSourceDeliveries.ts';

export interface ReplayCall {
  projectId: string;
  deliveryId: string;
  /** The name of the caller's key. */
  actor: string | undefined;
}

/** The answer of a replay (4.8). */
export interface Replayed extends Outcome {
  deliveryId: string;
}

export const deliveryMissing = (): Error => notFound('webhook delivery not found');

/**
 * Ingests a recorded message again, by the present mapping and `dedupeKey` of its source (4.8). The
 * signature is not checked again. Appends an attempt; the status of the delivery stays. Throws
 * `notFound` for an unknown delivery or a deleted source, `conflict` if the message was never
 * ingested, and `suspended`.
 */
export async function replaySourceDelivery(ctx: EngineContext, call: ReplayCall): Promise<Replayed> {
  const { projectId, deliveryId, actor } = call;
  const { sourceId, data, headers } = await readReplayable(ctx, call);
  const admission = await onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    const suspension = suspensionOf(snapshot);
    if (suspension) return refusal(suspension);
    const [source] = await findReplaySource(ctx.db, { id: sourceId, projectId });
    if (!source) throw sourceMissing();
    const mapped = { source, data, envelope: envelopeOf(source, headers) };
    const intake = await planMessage(ctx, snapshot, { ...mapped, event: eventOf(ctx, mapped) });
    return commit(ctx, { call, source, intake });
  });
  await deliver(ctx, admission);
  const outcome = outcomeOf(admission);
  const detail = { deliveryId, sourceId, status: outcome.status, eventId: outcome.eventId };
  const action = 'replay_webhook_delivery';
  await recordControl(ctx, { projectId, action, newRunId: outcome.runId, actor, detail });
  return { deliveryId, ...outcome };
}

async function readReplayable(ctx: EngineContext, { projectId, deliveryId: id }: ReplayCall) {
  const [delivery] = isId(id) ? await selectSourceDeliveries(ctx.db, { projectId, ids: [id] }) : [];
  if (!delivery) throw deliveryMissing();
  const { sourceId, status } = delivery;
  if (status !== 'ingested' && status !== 'deduped') throw conflict('deliveryNotVerified');
  const parts = { requestHeaders: true, body: true, maxBytes: anySize };
  const [message] = await selectStoredMessages(ctx.db, { projectId, ids: [id], ...parts });
  const payload = message?.body ? readPayload(ctx, message.body) : { reason: 'the body is gone' };
  if (!message || 'reason' in payload) throw new Error(`source delivery ${id} cannot be replayed`);
  const sent: Record<string, string> = JSON.parse(message.requestHeaders ?? '{}');
  return { sourceId, data: payload.data, headers: new Map(Object.entries(sent)) };
}

interface Replay {
  call: ReplayCall;
  source: MessageSourceRow;
  intake: Intake;
}

/**
 * Writes the event, its runs and the attempt in one transaction. The delivery is locked first, and
 * nobody locks it after other rows, so replays cannot deadlock with starts.
 */
async function commit(ctx: EngineContext, { call, source, intake }: Replay): Promise<Admission | 'stale'> {
  const { deliveryId, actor } = call;
  try {
    return await ctx.db.transaction(async (tx) => {
      await lockSourceDelivery(tx, { id: deliveryId });
      const [admission] = await admitWithin(admissionTransaction(ctx, tx), [intake]);
      if (!admission) throw new Error('a replay has no outcome');
      const attempt = { id: newId(), deliveryId, sourceId: source.id, version: source.version, actor };
      const appended = await appendReplay(tx, { ...attempt, ...outcomeOf(admission), now: ctx.clock.sql() });
      if (appended.length === 0) throw new StaleIntake([]);
      ctx.origin?.once?.note({ deliveryId, ...outcomeOf(admission) });
      return admission;
    });
  } catch (error) {
    if (error instanceof StaleIntake) return 'stale';
    throw error;
  }
}
