import { type AiAllowance, capReached } from '@holdfast/sdk/protocol';
import type { CappedSpend } from '../../ai/index.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import type { Price } from '../request/inferRequest.ts';

/** What a send may spend. It counts towards the cap of its run while the send is under way. */
export interface Reservation {
  tokens: number;
  /** USD; undefined: unpriced. */
  cost: number | undefined;
}

/** The tokens of an answer whose request sets no bound. */
const usualTokensOut = 4096;
const bytesPerToken = 4;

/** The reservation of a call: the bound of its answer, and its request by its size. */
export function reservationOf(
  { maxTokens = usualTokensOut, requestBytes }: Pick<LeasedCall, 'maxTokens' | 'requestBytes'>,
  price: Price | undefined,
): Reservation {
  const tokensIn = Math.ceil(requestBytes / bytesPerToken);
  const cost = price && (tokensIn * price.input + maxTokens * price.output) / 1_000_000;
  return { tokens: tokensIn + maxTokens, cost };
}

/**
 * What a cap decides about a send (2.2 `cap`):
 * - `reached`: the run fails with this reason.
 * - `waits`: the other sends of the run may reach it. One of them will end.
 * - `free`: the send may begin. Its own reservation does not count, so a call that is alone never
 *   waits, and calls side by side overshoot a cap by one of them at most.
 */
export type CapVerdict = { kind: 'reached'; reason: string } | { kind: 'waits' } | { kind: 'free' };

export function judgeCap(
  capped: CappedSpend | undefined,
  others: { sends: number; tokens: number; cost: number },
): CapVerdict {
  if (!capped) return { kind: 'free' };
  const { cap, spend } = capped;
  const allowance: AiAllowance = { ...spend, maxTokens: cap.maxTokens, maxCost: cap.maxCost };
  const reason = capReached(allowance);
  if (reason !== undefined) return { kind: 'reached', reason };
  const cost = others.cost > 0 ? (spend.cost ?? 0) + others.cost : spend.cost;
  const reserved = { ...allowance, tokens: spend.tokens + others.tokens, cost };
  return others.sends > 0 && capReached(reserved) !== undefined ? { kind: 'waits' } : { kind: 'free' };
}
