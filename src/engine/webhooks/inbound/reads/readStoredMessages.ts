import { isUtf8 } from 'node:buffer';
import type { Queryable } from '../../../db/index.ts';
import type { Sized } from '../../../paging/index.ts';
import { isSecretHeader } from '../../config/index.ts';
import { redacted } from '../messageHeaders.ts';
import { selectStoredMessages } from '../sql/selectSourceDeliveries.ts';

/** The parts of a message that a detail read shows (2.10). */
export const messageParts = ['requestHeaders', 'body', 'bodyEncoding'] as const;
export type MessagePart = (typeof messageParts)[number];

export interface StoredMessage extends Sized {
  id: string;
  /** JSON text of an object, by name in lower case. */
  requestHeaders: string | null;
  /** The verified body; null if the message did not verify. */
  body: string | null;
  /** `base64` if the body is not UTF-8; else null. */
  bodyEncoding: string | null;
}

interface Question {
  projectId: string;
  ids: readonly string[];
  wanted: Readonly<Record<MessagePart, boolean>>;
  maxBytes: number;
}

/** The messages of deliveries, unordered. */
export async function readStoredMessages(
  { db }: { db: Queryable },
  { projectId, ids, wanted, maxBytes }: Question,
): Promise<StoredMessage[]> {
  const { requestHeaders } = wanted;
  const body = wanted.body || wanted.bodyEncoding;
  const rows = await selectStoredMessages(db, { projectId, ids, requestHeaders, body, maxBytes });
  return rows.map((row) => {
    const isText = !row.body || isUtf8(row.body);
    const text = row.body?.toString(isText ? 'utf8' : 'base64') ?? null;
    return { ...row, body: text, bodyEncoding: isText ? null : 'base64' };
  });
}

/**
 * The headers for a reader without write access: signatures and secrets are redacted.
 */
export function withoutSecrets(requestHeaders: string): string {
  const sent: Record<string, string> = JSON.parse(requestHeaders);
  const shown = Object.entries(sent).map(([name, value]) => [name, isSecretHeader(name) ? redacted : value]);
  return JSON.stringify(Object.fromEntries(shown));
}
