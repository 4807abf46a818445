import type { Json, ModelAnswer, SendUsage } from '../../engine/inference/index.ts';

export interface MemoParts {
  answer: ModelAnswer;
  /** Undefined: none was asked for, or none was given. */
  object?: Json | undefined;
  usage: SendUsage;
  /** USD; undefined: unpriced. */
  cost?: number | undefined;
}

/** The result of a step that called a model, as JSON text (4.10 `Infer`). Absent: not reported. */
export function memoOf({ answer, object, usage, cost }: MemoParts): string {
  const spent = withCost(usage, cost);
  if (answer.kind === 'embed') {
    const { embeddings, dimensions, model } = answer;
    return JSON.stringify({ embeddings, dimensions, model, usage: spent });
  }
  const { text, toolCalls, content, model, finishReason } = answer;
  return JSON.stringify({ text, object, toolCalls, content, model, finishReason, usage: spent });
}

/** The same answer without a call: it cost nothing. */
export function memoOfHit(memo: string): { output: string; finishReason: string | undefined } {
  const fields: Record<string, unknown> = JSON.parse(memo);
  const finishReason = typeof fields['finishReason'] === 'string' ? fields['finishReason'] : undefined;
  return { output: JSON.stringify({ ...fields, usage: { tokensIn: 0, tokensOut: 0 } }), finishReason };
}

function withCost({ tokensIn, tokensOut, cachedTokensIn, reasoningTokens }: SendUsage, cost: number | undefined) {
  return { tokensIn, tokensOut, cachedTokensIn, reasoningTokens, cost };
}
