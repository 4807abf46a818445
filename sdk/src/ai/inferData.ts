/**
 * The model request of an `Infer` step and its memo, as they go over the wire. `protocol.ts`
 * exports these types.
 */

/** A JSON Schema of the draft 2020-12. */
export type InferSchema = boolean | { readonly [keyword: string]: unknown };

/** USD per million tokens. */
export interface AiPrice {
  input: number;
  output: number;
  /** Input that the provider read from its cache. Default: `input`. */
  cacheRead?: number | undefined;
  /** Input that the provider wrote to its cache. Default: `input`. */
  cacheWrite?: number | undefined;
}

/** Bytes as base64, or a URL that the provider fetches; the service fetches none. */
export type InferSource = { data: string; url?: undefined } | { url: string; data?: undefined };

/**
 * A part of a message. `metadata` is the provider's own, such as the signature of a reasoning. It
 * comes with an answer, and has to go back with it.
 */
export type InferPart = (
  | { type: 'text'; text: string }
  | ({ type: 'image'; mediaType?: string | undefined } & InferSource)
  | ({ type: 'file'; mediaType: string; filename?: string | undefined } & InferSource)
  | { type: 'tool_call'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; id: string; name: string; output: unknown; isError?: boolean | undefined }
  | { type: 'reasoning'; text: string }
) & { metadata?: { readonly [key: string]: unknown } | undefined };

export const inferRoles = ['system', 'user', 'assistant', 'tool'] as const;

export interface InferMessage {
  role: (typeof inferRoles)[number];
  content: string | readonly InferPart[];
}

export interface InferTool {
  name: string;
  description?: string | undefined;
  inputSchema: InferSchema;
}

/** Which tool the model has to call. Default: `auto`. */
export type InferToolChoice = 'auto' | 'none' | 'required' | { tool: string };

export interface InferCommon {
  /**
   * `anthropic`, `openai`, or the name of a compatible provider. Default: `anthropic` for text,
   * `openai` for embeddings.
   */
  provider?: string | undefined;
  model: string;
  /** Fields of the provider's request, passed on as they are. */
  options?: { readonly [key: string]: unknown } | undefined;
  /** Default: the operator's price of the model, if there is one. */
  price?: AiPrice | undefined;
  /**
   * Whether a request whose end is unknown is sent again. It may have been executed and billed.
   * Default: `repeat`. `fail` throws an error named `InferenceUnknownError`.
   */
  onUnknown?: 'repeat' | 'fail' | undefined;
}

/** A call of a model that answers with text, an object or tool calls. */
export interface InferText extends InferCommon {
  kind?: 'text' | undefined;
  system?: string | undefined;
  /** One message of the user, in place of `messages`. */
  prompt?: string | undefined;
  messages?: readonly InferMessage[] | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
  /** Texts at which the model stops. */
  stop?: readonly string[] | undefined;
  seed?: number | undefined;
  /** The answer must be JSON that fits. */
  schema?: InferSchema | undefined;
  tools?: readonly InferTool[] | undefined;
  toolChoice?: InferToolChoice | undefined;
  /**
   * False: the service's cache is neither asked nor filled. It keeps answers without tools whose
   * `temperature` is at most 0.2.
   */
  cache?: boolean | undefined;
  /** How often an answer that does not fit `schema` is asked for again: 0 to 3. Default: 1. */
  reasks?: number | undefined;
}

/** A call of a model that turns texts into vectors. */
export interface InferEmbed extends InferCommon {
  kind: 'embed';
  /** At most 100. */
  values: readonly string[];
  dimensions?: number | undefined;
}

/** The tokens of a call, over all of its sends. A missing number was not reported. */
export interface InferUsage {
  /** With cached tokens. */
  tokensIn?: number;
  tokensOut?: number;
  /** Of the input, those that the provider read from its cache. */
  cachedTokensIn?: number;
  /** Of the output. */
  reasoningTokens?: number;
  /** US dollars; absent without a price. */
  cost?: number;
}

export interface InferToolCall {
  id: string;
  name: string;
  input: unknown;
  /** Why the input does not fit the tool's schema; absent: it fits. */
  invalid?: string;
}

export type InferFinish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

/** The memo of a text call. */
export interface InferAnswer {
  text?: string;
  /** The answer to a request with `schema`; absent if it was filtered, or tool calls. */
  object?: unknown;
  toolCalls?: InferToolCall[];
  /** The assistant's message as it has to be sent back. */
  content: InferPart[];
  /** As the provider names it. */
  model: string;
  /** A refusal or a filter is no error. */
  finishReason: InferFinish;
  usage: InferUsage;
}

/** The memo of an embedding. */
export interface InferVectors {
  /** Each is the base64 of little-endian float32. */
  embeddings: string[];
  dimensions: number;
  model: string;
  usage: InferUsage;
}
