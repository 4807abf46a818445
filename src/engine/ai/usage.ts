import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';

/** A model call as reported (4.10 `usage`). Undefined means not reported, which is not zero. */
export interface Usage {
  model: string | undefined;
  tokensIn: number | undefined;
  tokensOut: number | undefined;
  /** USD. */
  cost: number | undefined;
  latencyMs: number | undefined;
  cacheHit: boolean | undefined;
}

const maxCost = 1e9;
const maxLatencyMs = 3_153_600_000_000;

/**
 * Reads a runner's report of a call. Undefined if it is not an object. An invalid field counts as
 * not reported: a wrong type, a negative or unbounded number, a fraction of a token. The call was
 * made and paid for, so failing its step would only pay for it again.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { model, tokensIn, tokensOut, cost, latencyMs, cacheHit }: Record<string, unknown> = { ...value };
  return {
    model: modelName(model),
    tokensIn: amount(tokensIn, Number.MAX_SAFE_INTEGER, Number.isInteger),
    tokensOut: amount(tokensOut, Number.MAX_SAFE_INTEGER, Number.isInteger),
    cost: amount(cost, maxCost),
    latencyMs: amount(latencyMs, maxLatencyMs),
    cacheHit: typeof cacheHit === 'boolean' ? cacheHit : undefined,
  };
}

function amount(value: unknown, max: number, fits: (value: number) => boolean = Number.isFinite): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= max && fits(value) ? value : undefined;
}

function modelName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '' || isLongerThan(value, maxNameLength)) return undefined;
  return hasUnsupportedCharacter(value) ? undefined : value;
}
