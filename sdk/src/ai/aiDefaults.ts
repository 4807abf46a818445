import { HoldfastConfigError } from '../errors.ts';
import { described, MisuseError } from '../misuse.ts';
import type { AiPrice } from '../protocol.ts';

/** Defaults of the steps that call models. */
export interface AiOptions {
  /**
   * USD per million tokens, by the name of a model or a prefix with `*`: `{ 'claude-*': { input: 3,
   * output: 15 } }`. The longest match counts.
   */
  prices?: Readonly<Record<string, AiPrice>> | undefined;
  /** The provider of `step.ai.generate`. Default: `anthropic`. */
  provider?: string | undefined;
  /** The model of `step.ai.generate`. */
  model?: string | undefined;
}

/** The checked options. */
export class AiDefaults {
  readonly #provider: string | undefined;
  readonly #model: string | undefined;
  readonly #prices: readonly (readonly [model: string, price: AiPrice])[];

  /** Throws a `HoldfastConfigError` for an invalid option. */
  constructor(options: AiOptions = {}) {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw new HoldfastConfigError(`ai must be an object, such as { model: '…' }; it is ${described(options)}`);
    }
    this.#provider = checkedName(options.provider, 'provider');
    this.#model = checkedName(options.model, 'model');
    this.#prices = checkedPrices(options.prices ?? {});
  }

  /** The provider, the model and the price of a request for text, as far as they are known. */
  complete(
    step: string,
    request: { provider?: string | undefined; model?: string | undefined; price?: AiPrice | undefined },
  ): { provider?: string; model: string; price?: AiPrice } {
    const model: unknown = request.model ?? this.#model;
    if (typeof model !== 'string' || model === '') {
      throw new MisuseError(
        `step "${step}" needs a model: a string that is not empty, in its request or as ai.model of new Holdfast(); it is ${described(model)}`,
      );
    }
    const provider = request.provider ?? this.#provider;
    const price = this.priceFor(step, model, request.price);
    return { ...(provider !== undefined && { provider }), model, ...(price !== undefined && { price }) };
  }

  /** The price that a request states, else that of its model. */
  priceFor(step: string, model: string, stated: AiPrice | undefined): AiPrice | undefined {
    if (stated === undefined) return this.priceOf(model);
    const problem = priceProblem(stated);
    if (problem !== undefined) throw new MisuseError(`the price of step "${step}" ${problem}`);
    return stated;
  }

  priceOf(model: string): AiPrice | undefined {
    return this.#prices.find(([name]) => matches(name, model))?.[1];
  }
}

/** A name in full is a longer match than any prefix. */
function checkedPrices(prices: unknown): [string, AiPrice][] {
  if (typeof prices !== 'object' || prices === null || Array.isArray(prices)) {
    throw new HoldfastConfigError(`ai.prices must be an object of prices by model; it is ${described(prices)}`);
  }
  const list: [string, AiPrice][] = Object.entries(prices);
  for (const [model, price] of list) {
    const problem = model === '' ? 'names no model' : priceProblem(price);
    if (problem !== undefined) throw new HoldfastConfigError(`ai.prices[${JSON.stringify(model)}] ${problem}`);
    if (model.slice(0, -1).includes('*')) {
      throw new HoldfastConfigError(`ai.prices[${JSON.stringify(model)}] may hold * at its end only`);
    }
  }
  return list.sort(([one], [other]) => Number(isPrefix(one)) - Number(isPrefix(other)) || other.length - one.length);
}

const isPrefix = (name: string): boolean => name.endsWith('*');
const matches = (name: string, model: string): boolean =>
  isPrefix(name) ? model.startsWith(name.slice(0, -1)) : model === name;

const amounts = ['input', 'output', 'cacheRead', 'cacheWrite'];

function priceProblem(price: unknown): string | undefined {
  const expected = 'must be { input, output, cacheRead?, cacheWrite? } in USD per million tokens';
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

function checkedName(given: unknown, field: string): string | undefined {
  if (given === undefined || (typeof given === 'string' && given.trim() !== '')) return given;
  throw new HoldfastConfigError(`ai.${field} must be a string that is not empty; it is ${described(given)}`);
}
