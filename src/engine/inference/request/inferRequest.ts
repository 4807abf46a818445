/** A JSON value that was parsed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema of the draft 2020-12. */
export type JsonSchema = boolean | { [key: string]: Json };

/** USD per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** Bytes as base64, or a URL that the provider fetches. */
export type PartSource = { data: string; url?: undefined } | { url: string; data?: undefined };

/**
 * A part of a message. `metadata` is the provider's own, such as the signature of a reasoning. It
 * comes with an answer, and goes back with the next request as it is.
 */
export type MessagePart = (
  | { type: 'text'; text: string }
  | ({ type: 'image'; mediaType?: string | undefined } & PartSource)
  | ({ type: 'file'; mediaType: string; filename?: string | undefined } & PartSource)
  | { type: 'tool_call'; id: string; name: string; input: Json }
  | { type: 'tool_result'; id: string; name: string; output: Json; isError?: boolean | undefined }
  | { type: 'reasoning'; text: string }
) & { metadata?: { [key: string]: Json } | undefined };

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: MessagePart[];
}

export interface Tool {
  name: string;
  description?: string | undefined;
  inputSchema: JsonSchema;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { tool: string };

interface CommonRequest {
  /** `anthropic`, `openai`, or the name of a compatible provider. */
  provider: string;
  model: string;
  /** Fields of the request body, passed to the provider as they are. */
  options?: { [key: string]: Json } | undefined;
  price?: Price | undefined;
  /** Whether a send whose end is unknown may be repeated. */
  onUnknown: 'repeat' | 'fail';
}

/** A call of a model that answers with text, an object or tool calls. */
export interface TextRequest extends CommonRequest {
  kind: 'text';
  system?: string | undefined;
  messages: Message[];
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
  stop?: string[] | undefined;
  seed?: number | undefined;
  /** The answer must be JSON that fits. */
  schema?: JsonSchema | undefined;
  tools?: Tool[] | undefined;
  toolChoice?: ToolChoice | undefined;
  /** False: the cache is neither asked nor filled. */
  cache?: boolean | undefined;
  /** How often an answer that does not fit `schema` is asked for again. */
  reasks: number;
}

/** A call of a model that turns texts into vectors. */
export interface EmbedRequest extends CommonRequest {
  kind: 'embed';
  values: string[];
  dimensions?: number | undefined;
}

/** The model request of an `Infer` opcode (4.10), checked. */
export type InferRequest = TextRequest | EmbedRequest;
