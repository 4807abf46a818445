/** The calls of models that a step made, as far as its journal block tells. */
export interface AiCalls {
  models: string[];
  calls: number;
  tokens: number;
  /** Null if no call has a price. */
  cost: number | null;
  /** Calls without a price. */
  unpriced: number;
}

type Loose = Readonly<Record<string, unknown>>;

/**
 * Reads the `ai` block of a step: a list of calls that the runner made, or one call of the service
 * with its usage. Unknown forms of another version count as one call that tells nothing.
 */
export function aiCallsOf(block: unknown): AiCalls | undefined {
  if (!isObject(block)) return undefined;
  const calls = Array.isArray(block['calls']) ? block['calls'].filter(isObject) : [serviceCall(block)];
  const costs = calls.map(({ cost }) => cost).filter(isNumber);
  const models = calls.map(({ model }) => model).filter((model) => typeof model === 'string');
  return {
    models: [...new Set(models)],
    calls: calls.length,
    tokens: sum(calls.flatMap(({ tokensIn, tokensOut }) => [tokensIn, tokensOut].filter(isNumber))),
    cost: costs.length === 0 ? null : sum(costs),
    unpriced: calls.length - costs.length,
  };
}

const serviceCall = (block: Loose): Loose => ({
  model: block['model'],
  ...(isObject(block['usage']) ? block['usage'] : block),
});

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number';
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
