import { HoldfastConfigError } from '../errors.ts';
import { described, MisuseError } from '../misuse.ts';
import type { AiPrice } from '../protocol.ts';
import { Prices, priceProblem } from './prices.ts';

/** Defaults of the steps that call models. */
export interface AiOptions {
  /**
   * USD per million tokens, by the name of a model or a prefix with `*`: `{ 'claude-*': { input: 3,
   * output: 15 } }`. The longest match counts. A price in a request comes first.
   */
  prices?: Readonly<Record<string, AiPrice>> | undefined;
  /** The provider of `step.ai.generate`. Default: `anthropic`. */
  provider?: string | undefined;
  /** The model of `step.ai.generate`. */
  model?: string | undefined;
}

/** The checked options. */
export class AiDefaults {
  readonly prices: Prices;
  readonly #provider: string | undefined;
  readonly #model: string | undefined;

  /** Throws a `HoldfastConfigError` for an invalid option. */
  constructor(options: AiOptions = {}) {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw new HoldfastConfigError(`ai must be an object, such as { model: '…' }; it is ${described(options)}`);
    }
    this.#provider = checkedName(options.provider, 'provider');
    this.#model = checkedName(options.model, 'model');
    this.prices = new Prices(options.prices ?? {});
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
    if (stated === undefined) return this.prices.of(model);
    const problem = priceProblem(stated);
    if (problem !== undefined) throw new MisuseError(`the price of step "${step}" ${problem}`);
    return stated;
  }
}

function checkedName(given: unknown, field: string): string | undefined {
  if (given === undefined || (typeof given === 'string' && given.trim() !== '')) return given;
  throw new HoldfastConfigError(`ai.${field} must be a string that is not empty; it is ${described(given)}`);
}
