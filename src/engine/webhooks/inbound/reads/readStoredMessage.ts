import { isUtf8 } from 'node:buffer';
import type { EngineContext } from '../../../context.ts';
import { isSignature, redacted } from '../messageHeaders.ts';
import { selectStoredMessage } from '../sql/selectSourceDeliveries.ts';

/** The message of a delivery, as the detail read shows it (2.10). */
export interface StoredMessage {
  /** By name in lower case. */
  requestHeaders: Record<string, string>;
  /** The verified body; null if the message did not verify. */
  body: string | null;
  /** `base64` if the body is not UTF-8; else null. */
  bodyEncoding: 'base64' | null;
}

/**
 * Reads the message of a delivery. `hidesSignatures`: for a reader without write access, who could
 * send the message again with its signature.
 */
export async function readStoredMessage(
  { db }: EngineContext,
  { projectId, id, hidesSignatures }: { projectId: string; id: string; hidesSignatures: boolean },
): Promise<StoredMessage> {
  const [row] = await selectStoredMessage(db, { projectId, id });
  if (!row) throw new Error(`source delivery ${id} is gone`);
  const sent: Record<string, string> = JSON.parse(row.requestHeaders);
  const shown = Object.entries(sent).map(([name, value]) => [
    name,
    hidesSignatures && isSignature(name) ? redacted : value,
  ]);
  const requestHeaders: Record<string, string> = Object.fromEntries(shown);
  if (!row.body) return { requestHeaders, body: null, bodyEncoding: null };
  const isText = isUtf8(row.body);
  return {
    requestHeaders,
    body: row.body.toString(isText ? 'utf8' : 'base64'),
    bodyEncoding: isText ? null : 'base64',
  };
}
