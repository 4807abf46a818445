import type { AiUsage } from '../protocol.ts';
import { type Fields, fieldsOf } from './fields.ts';

/**
 * Owns: the shapes in which the clients of known providers report usage.
 * Does not own: whether the numbers can be right; see `UsageMeter`.
 */

/** The most calls that one result reports. */
const callLimit = 1000;

/**
 * The usage of the model calls whose result `value` is, or whose results it lists. Knows Anthropic
 * messages, OpenAI chat completions, responses and embeddings, results of `ai` 5 to 7, and the
 * usage of Google and Bedrock. Empty for everything else; never throws.
 */
export function usageIn(value: unknown): AiUsage[] {
  try {
    const results = Array.isArray(value) ? value.slice(0, callLimit) : [value];
    return results.flatMap(callsOf).slice(0, callLimit);
  } catch {
    // A getter of the user's own object threw.
    return [];
  }
}

/** A result of `generateText` lists the calls of its loop. */
function callsOf(result: unknown): AiUsage[] {
  const fields = fieldsOf(result);
  if (fields === undefined) return [];
  const steps = Array.isArray(fields.steps) ? fields.steps.flatMap((step) => callOf(fieldsOf(step)) ?? []) : [];
  return steps.length > 0 ? steps : [callOf(fields) ?? []].flat();
}

function callOf(result: Fields | undefined): AiUsage | undefined {
  if (result === undefined) return undefined;
  const usage = fieldsOf(result.usage);
  const google = fieldsOf(result.usageMetadata);
  const found = (usage && tokensOf(usage, result)) ?? (google && googleTokens(google));
  if (found === undefined || Object.values(found).every((count) => count === undefined)) return undefined;
  return defined({ model: modelOf(result), ...found });
}

type Tokens = Omit<AiUsage, 'model'>;

function tokensOf(usage: Fields, result: Fields): Tokens | undefined {
  if (isCount(usage.input_tokens)) return snakeTokens(usage);
  if (isCount(usage.prompt_tokens)) return chatTokens(usage);
  if (isCount(usage.inputTokens) || isCount(usage.outputTokens)) return camelTokens(usage, result);
  return isCount(usage.tokens) ? { tokensIn: usage.tokens } : undefined;
}

/** Anthropic reports cached input apart, OpenAI's responses report it within. */
function snakeTokens(usage: Fields): Tokens {
  const input = fieldsOf(usage.input_tokens_details);
  const output = fieldsOf(usage.output_tokens_details);
  return {
    tokensIn: sum(usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens),
    tokensOut: count(usage.output_tokens),
    cachedTokensIn: count(usage.cache_read_input_tokens, input?.cached_tokens),
    cacheWriteTokensIn: count(usage.cache_creation_input_tokens, input?.cache_write_tokens),
    reasoningTokens: count(output?.reasoning_tokens, output?.thinking_tokens),
  };
}

/** OpenAI's chat completions and embeddings, and servers that are compatible. */
function chatTokens(usage: Fields): Tokens {
  const input = fieldsOf(usage.prompt_tokens_details);
  return {
    tokensIn: count(usage.prompt_tokens),
    tokensOut: count(usage.completion_tokens),
    cachedTokensIn: count(input?.cached_tokens),
    cacheWriteTokensIn: count(input?.cache_write_tokens),
    reasoningTokens: count(fieldsOf(usage.completion_tokens_details)?.reasoning_tokens),
  };
}

/** Bedrock's Converse, which reports cached input apart, and `ai`, which reports it within. */
function camelTokens(usage: Fields, result: Fields): Tokens {
  const input = fieldsOf(usage.inputTokenDetails);
  const apart = input === undefined ? cachedApart(usage, result) : undefined;
  return {
    tokensIn: apart === undefined ? count(usage.inputTokens) : sum(usage.inputTokens, apart.read, apart.written),
    tokensOut: count(usage.outputTokens),
    cachedTokensIn: count(apart?.read, input?.cacheReadTokens, usage.cachedInputTokens),
    cacheWriteTokensIn: count(apart?.written, input?.cacheWriteTokens),
    reasoningTokens: count(fieldsOf(usage.outputTokenDetails)?.reasoningTokens, usage.reasoningTokens),
  };
}

/** `ai` 5 hands on what Anthropic and Bedrock report, whose input is without cached tokens. */
function cachedApart(usage: Fields, result: Fields): { read: unknown; written: unknown } | undefined {
  if ('cacheReadInputTokens' in usage || 'cacheWriteInputTokens' in usage) {
    return { read: usage.cacheReadInputTokens, written: usage.cacheWriteInputTokens };
  }
  const metadata = fieldsOf(result.providerMetadata);
  const anthropic = fieldsOf(metadata?.anthropic);
  if (anthropic !== undefined) return { read: usage.cachedInputTokens, written: anthropic.cacheCreationInputTokens };
  const bedrock = fieldsOf(metadata?.bedrock);
  if (bedrock === undefined) return undefined;
  return { read: usage.cachedInputTokens, written: fieldsOf(bedrock.usage)?.cacheWriteInputTokens };
}

/** Google counts thoughts and the prompts of its tools apart, and cached input within. */
function googleTokens(usage: Fields): Tokens {
  return {
    tokensIn: sum(usage.promptTokenCount, usage.toolUsePromptTokenCount),
    tokensOut: sum(usage.candidatesTokenCount, usage.thoughtsTokenCount),
    cachedTokensIn: count(usage.cachedContentTokenCount),
    reasoningTokens: count(usage.thoughtsTokenCount),
  };
}

/** The model that answered; for embeddings of `ai`, as the provider's own answer names it. */
function modelOf(result: Fields): string | undefined {
  const response = fieldsOf(result.response) ?? fieldsOf(Array.isArray(result.responses) ? result.responses[0] : null);
  const names = [
    result.model,
    response?.modelId,
    fieldsOf(result.model)?.modelId,
    result.modelVersion,
    fieldsOf(response?.body)?.model,
  ];
  return names.find((name): name is string => typeof name === 'string' && name !== '');
}

const isCount = (value: unknown): value is number => typeof value === 'number';

const count = (...values: unknown[]): number | undefined => values.find(isCount);

function sum(...values: unknown[]): number | undefined {
  const counts = values.filter(isCount);
  return counts.length === 0 ? undefined : counts.reduce((one, other) => one + other, 0);
}

function defined(usage: AiUsage): AiUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}
