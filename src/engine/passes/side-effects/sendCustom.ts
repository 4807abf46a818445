import { newId } from '../../ids.ts';
import { originLane } from '../../webhooks/deliveries/index.ts';
import type { StepRow } from '../commit.ts';
import { insertCustomSends } from '../sql/insertCustomSends.ts';
import type { SideEffect, SideEffectScene, StepSideEffect } from './sideEffect.ts';

type CustomSend = Extract<SideEffect, { kind: 'webhook' }>;

/**
 * Enqueues the custom sends of an answer as deliveries (2.9). The memo of each step names its
 * delivery. The transaction also records the steps, so a repeated answer sends nothing twice.
 */
export async function sendCustom(
  { ctx, tx, pass }: SideEffectScene,
  sideEffects: readonly StepSideEffect[],
): Promise<Map<StepSideEffect, StepRow>> {
  const { projectId, app, runId } = pass;
  const made = sideEffects.flatMap((each) => (isSend(each) ? [{ each, id: newId(), ...each.sideEffect }] : []));
  if (made.length === 0) return new Map();
  const sends = made.map(({ id, url, origin, data }) => ({
    id,
    url,
    lane: originLane(projectId, origin),
    payload: data?.text ?? 'null',
  }));
  await insertCustomSends(tx, { projectId, app, runId, sends, now: ctx.clock.sql() });
  tx.afterCommit(() => ctx.bus.emit('delivery.due', {}));
  return new Map(made.map(({ each, id }) => [each, { ...each.step, output: JSON.stringify({ deliveryId: id }) }]));
}

const isSend = (each: StepSideEffect): each is StepSideEffect & { sideEffect: CustomSend } =>
  each.sideEffect.kind === 'webhook';
