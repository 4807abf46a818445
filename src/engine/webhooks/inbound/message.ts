import { isUtf8 } from 'node:buffer';
import type { EngineContext } from '../../context.ts';
import { HoldfastError } from '../../errors.ts';
import { hasUnsupportedCharacterInJson, type RawJson, readJson } from '../../json/index.ts';

/** A message as it was received. */
export interface InboundMessage {
  /** Names and values as sent, in order. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Undefined if it was too large to be read. */
  body: Uint8Array | undefined;
}

/** The data of a message, or the reason why no event can have it. */
export type Payload = { data: RawJson; value: unknown } | { reason: string };

const byteOrderMark = '\uFEFF';

/** Reads a verified body as the data of an event, by the rules of `POST /events`. */
export function readPayload({ settings }: Pick<EngineContext, 'settings'>, body: Uint8Array): Payload {
  if (!isUtf8(body)) return { reason: 'the body is not valid UTF-8' };
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  try {
    const document = readJson(text.startsWith(byteOrderMark) ? text.slice(1) : text, {
      maxDepth: settings.limits.jsonDepth,
    });
    const data = document.raw();
    if (!data || hasUnsupportedCharacterInJson(data)) return { reason: 'unsupported character in event' };
    return { data, value: document.value };
  } catch (error) {
    if (error instanceof HoldfastError) return { reason: error.message };
    throw error;
  }
}
