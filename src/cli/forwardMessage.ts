import { z } from 'zod';
import type { ServiceClient } from './service.ts';

export interface Forwarded {
  /** The status of the answer. */
  forwarded?: number;
  /** Why there was no answer. */
  error?: string;
}

/** Headers of one connection, and those that the request computes. */
const ownHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-authorization',
]);
/** The service does not store such values. */
const redacted = '[redacted]';
const answerMs = 30_000;

const message = z.looseObject({
  requestHeaders: z.record(z.string(), z.string()),
  body: z.string().optional(),
  bodyEncoding: z.literal('base64').optional(),
});

/** Posts a verified message on, with the bytes and the headers with which it arrived. */
export async function forward(service: ServiceClient, id: string, to: string): Promise<Forwarded> {
  const { text } = await service.get(`/webhook-source-deliveries/${encodeURIComponent(id)}`);
  const { requestHeaders, body, bodyEncoding = 'utf8' } = message.parse(JSON.parse(text));
  if (body === undefined) return {};
  const headers = Object.entries(requestHeaders).filter(([name, value]) => !ownHeaders.has(name) && value !== redacted);
  try {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(to, { method: 'POST', headers, body: Buffer.from(body, bodyEncoding), signal });
    await response.body?.cancel();
    return { forwarded: response.status };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
