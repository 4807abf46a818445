import type { EndedAttempt, LeasedDelivery } from '../../engine/webhooks/queue/index.ts';
import { type ReadAnswer, recordedHeaders, retryAfterMs, snippetOf } from './http/answer.ts';
import type { Ending } from './http/exchange.ts';
import { reasonOf } from './http/reasons.ts';

const skipTexts = {
  deleted: 'the endpoint was deleted',
  disabled: 'the endpoint is disabled',
  gone: 'the run that it tells of no longer exists',
} as const;

/** An attempt without a request, which ends its delivery. */
export function skipped(delivery: LeasedDelivery, why: keyof typeof skipTexts): EndedAttempt {
  return { delivery, outcome: 'skipped', error: skipTexts[why], durationMs: 0, requestHeaders: '{}' };
}

/** An attempt that could not begin, and is repeated later. */
export function unsent(delivery: LeasedDelivery, error: string): EndedAttempt {
  return { delivery, outcome: 'connection_error', error, durationMs: 0, requestHeaders: '{}' };
}

export interface SentAttempt {
  delivery: LeasedDelivery;
  headers: Readonly<Record<string, string>>;
  ending: Ending;
  durationMs: number;
  now: Date;
}

/**
 * What an attempt came to. A complete answer counts by its status, also one whose body is too long
 * to be read. An answer that was not complete in time is a timeout, and one that broke off is a
 * connection error: both keep the status that had arrived.
 */
export function toEnded({ delivery, headers, ending, durationMs, now }: SentAttempt): EndedAttempt {
  const answer = ending.kind === 'failed' || ending.kind === 'timeout' ? ending.answer : ending.answer;
  const sent = { delivery, durationMs, requestHeaders: JSON.stringify(headers), ...answered(answer) };
  switch (ending.kind) {
    case 'answered': {
      const { statusCode, headers: received } = ending.answer;
      const outcome = statusCode >= 200 && statusCode < 300 ? 'succeeded' : 'http_error';
      return { ...sent, outcome, retryAfterMs: retryAfterMs(received, now) };
    }
    case 'timeout':
      return { ...sent, outcome: 'timeout', error: `no complete answer within ${Math.round(durationMs)} ms` };
    case 'failed': {
      const { outcome, text } = reasonOf(ending.error);
      return { ...sent, outcome, error: text };
    }
  }
}

function answered(answer: ReadAnswer | undefined): Partial<EndedAttempt> {
  if (!answer) return {};
  return {
    statusCode: answer.statusCode,
    responseSnippet: snippetOf(answer),
    responseHeaders: recordedHeaders(answer.headers),
  };
}
