import { HoldfastConfigError } from '../errors.ts';
import { described } from '../misuse.ts';
import type { AiPrice, AiUsage } from '../protocol.ts';

/** Prices by model, of which the longest match counts. */
export class Prices {
  readonly #list: readonly (readonly [name: string, price: AiPrice])[];

  /** Throws a `HoldfastConfigError` for an invalid price. */
  constructor(prices: unknown) {
    if (typeof prices !== 'object' || prices === null || Array.isArray(prices)) {
      throw new HoldfastConfigError(`ai.prices must be an object of prices by model; it is ${described(prices)}`);
    }
    const list: [string, AiPrice][] = Object.entries(prices);
    for (const [name, price] of list) {
      const problem = nameProblem(name) ?? priceProblem(price);
      if (problem !== undefined) throw new HoldfastConfigError(`ai.prices[${JSON.stringify(name)}] ${problem}`);
    }
    // A name in full is a longer match than any prefix.
    this.#list = list.sort(
      ([one], [other]) => Number(isPrefix(one)) - Number(isPrefix(other)) || other.length - one.length,
    );
  }

  of(model: string): AiPrice | undefined {
    return this.#list.find(([name]) => matches(name, model))?.[1];
  }

  /** The cost of a call in USD. Undefined if its model has no price, or nothing was billed. */
  costOf(model: string | undefined, { tokensIn, tokensOut, ...call }: AiUsage): number | undefined {
    const price = model === undefined || call.cacheHit === true ? undefined : this.of(model);
    if (price === undefined || (tokensIn === undefined && tokensOut === undefined)) return undefined;
    const { cachedTokensIn: read = 0, cacheWriteTokensIn: written = 0 } = call;
    const plain = Math.max(0, (tokensIn ?? 0) - read - written) * price.input;
    const cached = read * (price.cacheRead ?? price.input) + written * (price.cacheWrite ?? price.input);
    return Number(((plain + cached + (tokensOut ?? 0) * price.output) / 1e6).toPrecision(15));
  }
}

const isPrefix = (name: string): boolean => name.endsWith('*');
const matches = (name: string, model: string): boolean =>
  isPrefix(name) ? model.startsWith(name.slice(0, -1)) : model === name;

function nameProblem(name: string): string | undefined {
  if (name === '') return 'names no model';
  return name.slice(0, -1).includes('*') ? 'may have * at its end only' : undefined;
}

const amounts = ['input', 'output', 'cacheRead', 'cacheWrite'];
const expected = 'must be { input, output, cacheRead?, cacheWrite? } in USD per million tokens';

/** Describes why a value is no price; undefined if it is one. */
export function priceProblem(price: unknown): string | undefined {
  if (typeof price !== 'object' || price === null || Array.isArray(price)) {
    return `${expected}; it is ${described(price)}`;
  }
  for (const [field, value] of Object.entries({ input: undefined, output: undefined, ...price })) {
    if (!amounts.includes(field)) return `has an unknown field ${described(field)}; it ${expected}`;
    if (value === undefined && field.startsWith('cache')) continue;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      return `has an invalid ${field}: ${described(value)}; it ${expected}`;
    }
  }
  return undefined;
}
