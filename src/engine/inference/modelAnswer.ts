import type { Json, MessagePart } from './request/inferRequest.ts';

export const finishReasons = ['stop', 'length', 'tool-calls', 'content-filter', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];

/** The tokens of one send, as the provider reported them. Absent: not reported. */
export interface SendUsage {
  /** With cached tokens. */
  tokensIn?: number | undefined;
  tokensOut?: number | undefined;
  /** Of the input, those that the provider read from its cache. */
  cachedTokensIn?: number | undefined;
  /** Of the input, those that the provider wrote to its cache. */
  cacheWriteTokensIn?: number | undefined;
  /** Of the output. */
  reasoningTokens?: number | undefined;
}

export interface ToolCall {
  id: string;
  name: string;
  input: Json;
  /** Why the input does not fit the tool's schema; absent: it fits. */
  invalid?: string | undefined;
}

/** What a model answered to a text request. `content` goes back as its message. */
export interface TextAnswer {
  kind: 'text';
  text?: string | undefined;
  toolCalls?: ToolCall[] | undefined;
  content: MessagePart[];
  /** As the provider names it. */
  model: string;
  finishReason: FinishReason;
}

/** Vectors as base64 of little-endian float32. */
export interface EmbedAnswer {
  kind: 'embed';
  embeddings: string[];
  dimensions: number;
  model: string;
}

export type ModelAnswer = TextAnswer | EmbedAnswer;

/**
 * How one send ended.
 * - `answered`: a complete answer was read.
 * - `refused`: the provider, or the connection to it, said no. Nothing was billed.
 * - `unknown`: it may have been executed and billed.
 */
export type SendEnding =
  | {
      outcome: 'answered';
      answer: ModelAnswer;
      usage: SendUsage;
      status: number;
      requestId?: string | undefined;
      warnings: string[];
    }
  | {
      outcome: 'refused';
      refusal: Refusal;
      status?: number | undefined;
      requestId?: string | undefined;
      message: string;
    }
  | {
      outcome: 'unknown';
      usage: SendUsage;
      status?: number | undefined;
      requestId?: string | undefined;
      message: string;
      /** True: a repetition would end the same way, so the step fails. The answer was too large. */
      isFinal?: boolean | undefined;
    };

/**
 * What follows a refusal.
 * - `transient`: the call is tried again after a back-off of its own, a limited number of times.
 * - `overloaded`: the lane is held, for `retryAfterMs` if the provider said so.
 * - `exhausted`: a quota, a spend limit or the key. The step fails; the lane says why.
 * - `final`: the request is wrong. The step fails, whatever its `maxAttempts`.
 */
export type Refusal =
  | { kind: 'transient' }
  | { kind: 'overloaded'; retryAfterMs?: number | undefined }
  | { kind: 'exhausted' }
  | { kind: 'final' };
