// The only file that imports the providers' libraries, and lint holds it. The libraries translate
// requests and answers. Limits, retries and classes of errors are ours.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type ProviderAccess, routeOf } from './route.ts';

export type LanguageModel = ReturnType<ReturnType<typeof createAnthropic>['languageModel']>;
export type EmbeddingModel = ReturnType<ReturnType<typeof createOpenAI>['embeddingModel']>;

export type CallOptions = Parameters<LanguageModel['doStream']>[0];
export type Prompt = CallOptions['prompt'];
export type PromptMessage = Prompt[number];
export type AssistantPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number];
export type UserPart = Extract<PromptMessage, { role: 'user' }>['content'][number];
export type ToolPart = Extract<PromptMessage, { role: 'tool' }>['content'][number];
export type ToolOutput = Extract<ToolPart, { type: 'tool-result' }>['output'];
export type PartMetadata = NonNullable<AssistantPart['providerOptions']>;
export type ToolDefinition = NonNullable<CallOptions['tools']>[number];
export type ResponseSchema = Extract<NonNullable<CallOptions['responseFormat']>, { type: 'json' }>['schema'];
export type FunctionTool = Extract<ToolDefinition, { type: 'function' }>;

type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type GenerateResult = Awaited<ReturnType<LanguageModel['doGenerate']>>;
export type LibraryWarning = GenerateResult['warnings'][number];

/** Sends what a library composed. */
export type Send = (url: string, init: { headers: Headers; body: string; signal?: AbortSignal }) => Promise<Response>;

/** The name under which compatible providers keep metadata of their parts. */
export const compatibleName = 'compatible';

/** A model for texts, by the wire format of its provider. */
export function languageModel(access: ProviderAccess, model: string, send: Send): LanguageModel {
  const { wire, baseUrl: baseURL } = routeOf(access);
  const { apiKey } = access;
  const fetch = fetchOf(send);
  switch (wire) {
    case 'messages':
      return createAnthropic({ baseURL, apiKey, fetch }).languageModel(model);
    case 'responses':
      return createOpenAI({ baseURL, apiKey, fetch }).responses(model);
    case 'chat':
      return compatible({ baseURL, apiKey, fetch }).chatModel(model);
  }
}

/** A model for vectors. Undefined: the provider has none. */
export function embeddingModel(access: ProviderAccess, model: string, send: Send): EmbeddingModel | undefined {
  const { wire, baseUrl: baseURL } = routeOf(access);
  const { apiKey } = access;
  const fetch = fetchOf(send);
  switch (wire) {
    case 'messages':
      return undefined;
    case 'responses':
      return createOpenAI({ baseURL, apiKey, fetch }).embeddingModel(model);
    case 'chat':
      return compatible({ baseURL, apiKey, fetch }).embeddingModel(model);
  }
}

/** An empty key sends no `Authorization`. The library asks for usage only if it is told to. */
const compatible = (settings: { baseURL: string; apiKey: string; fetch: typeof globalThis.fetch }) =>
  createOpenAICompatible({ ...settings, name: compatibleName, includeUsage: true, supportsStructuredOutputs: true });

function fetchOf(send: Send): typeof globalThis.fetch {
  return (input, init) => {
    const { body, signal } = init ?? {};
    if (typeof input !== 'string' || typeof body !== 'string') throw new TypeError('the request is not JSON');
    return send(input, { headers: new Headers(init?.headers), body, ...(signal ? { signal } : {}) });
  };
}
