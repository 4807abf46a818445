import { asDeclared } from '../json/asDeclared.ts';
import { checkText } from '../misuse.ts';
import type { Api } from './api.ts';
import { instantOf } from './query.ts';
import { isAiSpend, isProviderCheck } from './shapes.ts';

/** Whether a provider takes the key of the project. */
export interface ProviderCheck {
  readonly provider: string;
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Why it does not; without the key. */
  readonly error?: string;
}

export interface AiSpendFilter {
  app?: string | undefined;
  workflow?: string | undefined;
  /** Only calls recorded at or after this time. Default: all. */
  since?: Date | string | undefined;
  /** Width of the buckets of `byHour`, in seconds. Default: 3600. */
  bucket?: number | undefined;
}

/** The totals of a set of model calls. */
export interface AiSpendFigures {
  /** Attempts of steps, and sends of calls that the service made. */
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokens: number;
  /** US dollars; absent if no call has a price. */
  readonly cost?: number;
  readonly cacheHits: number;
  /** Calls that could use the cache, with the hits. */
  readonly cacheEligible: number;
  /** Sends whose end is unknown. They may have been billed. */
  readonly unknown: number;
}

interface Latency {
  /** Of the calls that report one, in ms. */
  readonly avgLatencyMs?: number;
}

/** The spend of AI steps (4.4). */
export interface AiSpend {
  readonly totals: AiSpendFigures & Latency;
  /** Buckets with calls, oldest first: at most the latest 5000. */
  readonly byHour: readonly (AiSpendFigures & { readonly bucket: string })[];
  /** The 1000 with the most tokens. `model` is absent for calls that name none. */
  readonly byModel: readonly (AiSpendFigures & Latency & { readonly model?: string })[];
  /** The 1000 with the most tokens. */
  readonly byWorkflow: readonly (AiSpendFigures & { readonly app: string; readonly workflow: string })[];
}

/** The access of the service to model providers. */
export class ProvidersClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the models of a provider once, which costs nothing. A refused key is `ok: false` with the
   * reason. Throws a `HoldfastApiError` with status 501 if the service has no key for the provider.
   */
  async check(provider: string): Promise<ProviderCheck> {
    checkText(provider, 'the name of the provider');
    const path = `/ai/providers/${encodeURIComponent(provider)}/check`;
    return asDeclared((await this.#api.post(path, isProviderCheck)).body);
  }
}

/** The spend of AI steps, and the providers that the service calls. */
export class AiClient {
  readonly providers: ProvidersClient;
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
    this.providers = new ProvidersClient(api);
  }

  /**
   * Totals of calls, tokens and cost: over all, by time, by model and by workflow.
   *
   * @example
   * ```ts
   * const { totals } = await hf.ai.spend({ since: new Date(Date.now() - 86_400_000) });
   * console.log(totals.tokens, totals.cost ?? 'unpriced');
   * ```
   */
  async spend({ since, ...filter }: AiSpendFilter = {}): Promise<AiSpend> {
    const query = { ...filter, since: instantOf(since) };
    return asDeclared((await this.#api.get('/ai/spend', isAiSpend, { query })).body);
  }
}
