import type { Envelope } from '../../model/index.ts';
import { isSecretHeader } from '../config/index.ts';
import type { InboundMessage } from './message.ts';
import type { MessageSourceRow } from './sql/findMessageSources.ts';

type Headers = InboundMessage['headers'];

/** Headers that carry credentials of the sender. Their values are not stored. */
const credentials = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);
export const redacted = '[redacted]';

/** In bytes, names included: more than Node accepts by default. */
const maxStoredBytes = 16 * 1024;

/** The values of headers by their names in lower case. Values of equal names are joined. */
export function byName(headers: Headers): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [sent, value] of headers) {
    const name = sent.toLowerCase();
    const known = values.get(name);
    values.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return values;
}

/** The headers to store with a delivery: JSON text. Headers that do not fit are left out. */
export function storedHeaders(headers: Headers): string {
  const stored: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of byName(headers)) {
    const shown = credentials.has(name) ? redacted : value;
    bytes += Buffer.byteLength(name) + Buffer.byteLength(shown);
    if (bytes > maxStoredBytes) break;
    Object.defineProperty(stored, name, { value: shown, enumerable: true });
  }
  return JSON.stringify(stored);
}

/** The envelope of the event that a message becomes. */
export function envelopeOf({ exposeHeaders }: MessageSourceRow, headers: ReadonlyMap<string, string>): Envelope {
  const exposed = exposeHeaders.flatMap((name) => {
    const value = isSecretHeader(name) ? undefined : headers.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    headers: exposeHeaders.length === 0 ? undefined : Object.fromEntries(exposed),
    traceparent: traceparentOf(headers.get('traceparent')),
  };
}

/** A valid W3C trace context, in the form of version 00, which later versions begin with. */
function traceparentOf(header: string | undefined): string | undefined {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0*$/.test(traceId ?? '') || /^0*$/.test(spanId ?? ''))
    return undefined;
  return `00-${traceId}-${spanId}-${flags}`;
}
