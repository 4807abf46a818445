import type { Prices } from '../ai/prices.ts';
import type { AiUsage } from '../protocol.ts';

/** The latest calls that a step's journal keeps. */
const journalLimit = 100;

const counts = ['tokensIn', 'tokensOut', 'cachedTokensIn', 'cacheWriteTokensIn', 'reasoningTokens'] as const;
const amounts = [...counts, 'cost', 'latencyMs'] as const;
const isWhole: ReadonlySet<string> = new Set(counts);

/** Adds up the usage of one step's model calls. */
export class UsageMeter {
  readonly #calls: AiUsage[] = [];
  readonly #startedAt = performance.now();
  readonly #prices: Prices;
  #total: AiUsage = {};

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** Whether no call was added. */
  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /**
   * Adds a call, with its cost by the price of its model if it has none. Returns the names of
   * invalid fields, which are ignored.
   */
  add(usage: AiUsage): string[] {
    const call: AiUsage = {};
    for (const field of amounts) if (isAmount(field, usage[field])) call[field] = usage[field];
    if (typeof usage.model === 'string' && usage.model !== '') call.model = usage.model;
    if (typeof usage.cacheHit === 'boolean') call.cacheHit = usage.cacheHit;
    const cost = call.cost ?? this.#prices.costOf(call.model ?? this.#total.model, call);
    if (cost !== undefined) call.cost = cost;
    this.#calls.push(call);
    if (this.#calls.length > journalLimit) this.#calls.shift();
    this.#total = sum(this.#total, call);
    return [...amounts, 'model' as const, 'cacheHit' as const].filter(
      (field) => usage[field] !== undefined && usage[field] !== null && call[field] === undefined,
    );
  }

  /** The step's report: the sum, and the time since the start if no call reported its latency. */
  get report(): { usage: AiUsage; ai: { calls: readonly AiUsage[] } } {
    const latencyMs = this.#total.latencyMs ?? Math.round(performance.now() - this.#startedAt);
    return { usage: { ...this.#total, latencyMs }, ai: { calls: this.#calls } };
  }
}

function isAmount(field: (typeof amounts)[number], value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return false;
  return isWhole.has(field) ? Number.isSafeInteger(value) : true;
}

function sum(one: AiUsage, other: AiUsage): AiUsage {
  const total: AiUsage = { ...one };
  for (const field of amounts) if (other[field] !== undefined) total[field] = plus(one[field] ?? 0, other[field]);
  if (other.model !== undefined) total.model = other.model;
  if (other.cacheHit !== undefined) total.cacheHit = (one.cacheHit ?? true) && other.cacheHit;
  return total;
}

/** Prices are decimal: ten calls at 0.1 add up to 1. */
const plus = (one: number, other: number): number => Number((one + other).toPrecision(15));
