import type { SendUsage } from '../../../engine/inference/index.ts';
import { countOf, type Fields, fieldsOf } from './frame.ts';

/**
 * The tokens of a provider's `usage`, in any of the three formats. Anthropic counts cached input
 * apart, and the others within. Absent fields were not reported.
 */
export function readUsage(value: unknown): SendUsage {
  const usage = fieldsOf(value);
  const isChat = 'prompt_tokens' in usage || 'completion_tokens' in usage;
  return withoutUndefined(isChat ? chatUsage(usage) : namedUsage(usage));
}

/** The later report wins, field by field: streams report in parts. */
export const mergeUsage = (earlier: SendUsage, later: SendUsage): SendUsage => ({ ...earlier, ...later });

function chatUsage(usage: Fields): SendUsage {
  const input = fieldsOf(usage['prompt_tokens_details']);
  const output = fieldsOf(usage['completion_tokens_details']);
  return {
    tokensIn: countOf(usage['prompt_tokens']),
    tokensOut: countOf(usage['completion_tokens']),
    cachedTokensIn: countOf(input['cached_tokens']),
    cacheWriteTokensIn: countOf(input['cache_write_tokens']),
    reasoningTokens: countOf(output['reasoning_tokens']),
  };
}

/** Messages and Responses have the same names, but count cached input differently. */
function namedUsage(usage: Fields): SendUsage {
  const input = fieldsOf(usage['input_tokens_details']);
  const output = fieldsOf(usage['output_tokens_details']);
  const cacheRead = countOf(usage['cache_read_input_tokens']);
  const cacheWrite = countOf(usage['cache_creation_input_tokens']);
  const counted = countOf(usage['input_tokens']);
  return {
    tokensIn: counted === undefined ? undefined : counted + (cacheRead ?? 0) + (cacheWrite ?? 0),
    tokensOut: countOf(usage['output_tokens']),
    cachedTokensIn: cacheRead ?? countOf(input['cached_tokens']),
    cacheWriteTokensIn: cacheWrite ?? countOf(input['cache_write_tokens']),
    reasoningTokens: countOf(output['reasoning_tokens']) ?? countOf(output['thinking_tokens']),
  };
}

function withoutUndefined(usage: SendUsage): SendUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));
}
