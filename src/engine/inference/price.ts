import type { SendUsage } from './modelAnswer.ts';
import type { InferRequest, Price } from './request/inferRequest.ts';

/** The price of a request: its own, else the operator's for its model. Undefined: unpriced. */
export const priceOf = (request: InferRequest, prices: Readonly<Record<string, Price>>): Price | undefined =>
  request.price ?? priceOfModel(request.model, prices);

/** The operator's price of a model: by its exact name, else by the longest prefix with a `*`. */
export function priceOfModel(model: string, prices: Readonly<Record<string, Price>>): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const fitting = Object.keys(prices).filter((name) => name.endsWith('*') && model.startsWith(name.slice(0, -1)));
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : prices[longest];
}

const million = 1_000_000;

/** USD. Undefined if the call has no price, or if the provider reported no tokens. */
export function costOf(price: Price | undefined, usage: SendUsage): number | undefined {
  const { tokensIn, tokensOut, cachedTokensIn: read = 0, cacheWriteTokensIn: written = 0 } = usage;
  if (!price || (tokensIn === undefined && tokensOut === undefined)) return undefined;
  const plain = Math.max(0, (tokensIn ?? 0) - read - written);
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const cost = plain * input + read * cacheRead + written * cacheWrite + (tokensOut ?? 0) * output;
  // Sums of products of decimals have digits at their end that nobody meant.
  return Number((cost / million).toPrecision(15));
}

/** The output that is reserved for a request without `maxTokens`. */
const usualOutput = 4_096;

/** Bytes of a request per reserved token. */
const bytesPerToken = 4;

export interface Reservation {
  tokens: number;
  /** USD; undefined: unpriced. */
  cost: number | undefined;
}

/** What a send may cost, as far as that is known before it. Other sends of its run see it. */
export function reservationOf(
  { maxTokens, requestBytes }: { maxTokens: number | undefined; requestBytes: number },
  price: Price | undefined,
): Reservation {
  const tokensOut = maxTokens ?? usualOutput;
  const tokensIn = Math.ceil(requestBytes / bytesPerToken);
  return { tokens: tokensIn + tokensOut, cost: costOf(price, { tokensIn, tokensOut }) };
}
