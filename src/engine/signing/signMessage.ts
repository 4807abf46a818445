import { createHmac } from 'node:crypto';
import { standardKey } from './schemes/standard.ts';
import { sign, signatureHeader } from './signature.ts';

/** A message to be signed. */
export interface MessageToSign {
  /** The id of the delivery. */
  id: string;
  body: Uint8Array;
  /** The current secret, and during a rotation the previous one. Each signs. */
  secrets: readonly string[];
  /** Unix time; fractions are dropped. */
  nowSeconds: number;
}

/**
 * The headers that sign a delivery (5.6). Every delivery has `X-Service-Signature`. The scheme
 * `standard` adds the three headers of Standard Webhooks, with the same secrets.
 */
export function signatureHeaders(scheme: 'service' | 'standard', message: MessageToSign): Record<string, string> {
  const { secrets, body, nowSeconds } = message;
  const ours = { [signatureHeader]: sign(secrets, body, nowSeconds) };
  return scheme === 'service' ? ours : { ...ours, ...signStandard(message) };
}

function signStandard({ id, body, secrets, nowSeconds }: MessageToSign): Record<string, string> {
  const timestamp = String(Math.floor(nowSeconds));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
