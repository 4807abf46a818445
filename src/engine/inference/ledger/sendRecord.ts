import type { RecordedCall } from '../../ai/index.ts';
import type { SendEnding, SendUsage } from '../modelAnswer.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import type { EndedSend } from './settleCall.ts';

/** What a send has spent. */
export function spentBy({ stepIndex, attempt, model }: LeasedCall, send: EndedSend): RecordedCall {
  const { number, ending, cost, latencyMs, isCacheMiss } = send;
  const { tokensIn, tokensOut } = usageOf(ending);
  const cacheHit = isCacheMiss === true ? false : undefined;
  const unknown = ending.outcome === 'unknown';
  return { stepIndex, attempt, send: number, model, tokensIn, tokensOut, cost, latencyMs, cacheHit, unknown };
}

export const usageOf = (ending: SendEnding): SendUsage => (ending.outcome === 'refused' ? {} : ending.usage);

const maxTextLength = 500;

/** A text of a provider, without U+0000, which PostgreSQL does not store. */
export const storable = (text: string): string => text.replaceAll('\u0000', '').slice(0, maxTextLength);
