import { signatureHeaders } from '../../engine/signing/index.ts';
import { serviceVersion } from '../../engine/version.ts';
import type { LeasedDelivery } from '../../engine/webhooks/queue/index.ts';
import type { Outgoing } from './http/webhookClient.ts';

export interface RequestParts {
  delivery: LeasedDelivery;
  body: Buffer;
  /** The secrets of the endpoint. A custom send is not signed. */
  secrets: readonly string[];
  now: Date;
}

/**
 * The request of an attempt. Its headers are recorded as they are here. `X-Service-Delivery` is the
 * same for all attempts, so receivers can drop repeats.
 */
export function composeRequest({ delivery, body, secrets, now }: RequestParts): Outgoing {
  const { deliveryId, url, eventKind, scheme } = delivery;
  const message = { id: deliveryId, body, secrets, nowSeconds: now.getTime() / 1_000 };
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': `holdfast-webhooks/${serviceVersion}`,
    'X-Service-Event': eventKind,
    'X-Service-Delivery': deliveryId,
    ...(scheme ? signatureHeaders(scheme, message) : {}),
  };
  return { url, headers, body };
}
