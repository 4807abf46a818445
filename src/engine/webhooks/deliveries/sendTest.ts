import { recordControl } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import { conflict, notFound } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import type { LifecycleKind } from '../../lifecycle/index.ts';
import { sampleBody } from './sampleBody.ts';
import { findTestEndpoint } from './sql/findTestEndpoint.ts';
import { insertTestDelivery } from './sql/insertTestDelivery.ts';

export interface TestCall {
  projectId: string;
  endpointId: string;
  /** Any kind, also one that the endpoint does not list. */
  kind: LifecycleKind;
  /** The name of the caller's key. */
  actor: string | undefined;
}

/** An endpoint without an app takes deliveries of every app. */
const anyApp = 'default';

/**
 * Sends a sample body to an endpoint, which is signed and retried as any other. Answers the id of
 * the delivery. Throws `notFound`, and `conflict` if the endpoint is disabled.
 */
export async function sendTestDelivery(ctx: EngineContext, call: TestCall): Promise<string> {
  const { projectId, endpointId, kind, actor } = call;
  const [endpoint] = isId(endpointId) ? await findTestEndpoint(ctx.db, { projectId, id: endpointId }) : [];
  if (!endpoint) throw notFound('webhook endpoint not found');
  const id = newId();
  const app = endpoint.app ?? anyApp;
  const at = ctx.clock.now();
  const payload = sampleBody({ id, kind, app, at });
  const made = await insertTestDelivery(ctx.db, { id, projectId, endpointId, app, eventKind: kind, payload, now: at });
  if (made.length === 0) throw conflict('endpointDisabled');
  ctx.bus.emit('delivery.due', {});
  ctx.bus.emit('delivery.changed', { projectId, deliveryId: id });
  const detail = { endpointId, deliveryId: id, kind };
  await recordControl(ctx, { projectId, action: 'send_test_webhook', actor, detail });
  return id;
}
