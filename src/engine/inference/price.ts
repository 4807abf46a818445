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
