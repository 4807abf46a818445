import type { AiUsage } from '../protocol.ts';

/** The usage of a call. Counts that the model did not tell are absent. */
export function reportedUsage(usage: unknown, modelId: string): AiUsage {
  const tokensIn = total(field(usage, 'inputTokens')) ?? total(field(usage, 'tokens'));
  const tokensOut = total(field(usage, 'outputTokens'));
  return {
    model: modelId,
    ...(tokensIn !== undefined && { tokensIn }),
    ...(tokensOut !== undefined && { tokensOut }),
  };
}

/** A count, which newer models split into parts. */
function total(count: unknown): number | undefined {
  if (typeof count === 'number') return count;
  const sum = field(count, 'total');
  return typeof sum === 'number' ? sum : undefined;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
