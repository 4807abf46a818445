import { fieldsOf } from '../ai/fields.ts';
import type { AiUsage } from '../protocol.ts';

/** The usage of a call. Counts that the model did not tell are absent. */
export function reportedUsage(usage: unknown, modelId: string): AiUsage {
  const counts = fieldsOf(usage) ?? {};
  const input = fieldsOf(counts.inputTokens);
  const output = fieldsOf(counts.outputTokens);
  // Models of the second version have plain counts, and those of embeddings have `tokens`.
  const told = {
    tokensIn: input?.total ?? counts.inputTokens ?? counts.tokens,
    tokensOut: output?.total ?? counts.outputTokens,
    cachedTokensIn: input?.cacheRead ?? counts.cachedInputTokens,
    cacheWriteTokensIn: input?.cacheWrite,
    reasoningTokens: output?.reasoning ?? counts.reasoningTokens,
  };
  const known = Object.entries(told).filter(([, count]) => typeof count === 'number');
  return { model: modelId, ...Object.fromEntries(known) };
}
