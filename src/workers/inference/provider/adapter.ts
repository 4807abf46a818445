// The only file that imports the providers' libraries, and lint holds it. The libraries translate
// requests and answers. Limits, retries and classes of errors are ours.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { BoundedCache } from '../../../engine/boundedCache.ts';
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
export type Send = (url: string, init: { headers: Headers; body: string }) => Promise<Response>;

/** The name under which compatible providers keep metadata of their parts. */
export const compatibleName = 'compatible';

/** A model, and what a call of it is given besides its own options. */
export interface Opened<Model> {
  model: Model;
  options: { headers?: Record<string, string>; abortSignal?: AbortSignal };
}

/** A model for texts, by the wire format of its provider. */
export function languageModel(access: ProviderAccess, model: string, send: Send): Opened<LanguageModel> {
  const { wire, baseUrl: baseURL } = routeOf(access);
  const { apiKey } = access;
  switch (wire) {
    case 'messages':
      return {
        model: createAnthropic({ baseURL, apiKey, fetch: fetchOf(() => send) }).languageModel(model),
        options: {},
      };
    case 'responses':
      return { model: createOpenAI({ baseURL, apiKey, fetch: fetchOf(() => send) }).responses(model), options: {} };
    case 'chat':
      return { model: compatibleModel(baseURL, model), options: sharedOptions(apiKey, send) };
  }
}

/** A model for vectors. Undefined: the provider has none. */
export function embeddingModel(access: ProviderAccess, model: string, send: Send): Opened<EmbeddingModel> | undefined {
  const { wire, baseUrl: baseURL } = routeOf(access);
  const { apiKey } = access;
  switch (wire) {
    case 'messages':
      return undefined;
    case 'responses':
      return {
        model: createOpenAI({ baseURL, apiKey, fetch: fetchOf(() => send) }).embeddingModel(model),
        options: {},
      };
    case 'chat':
      return { model: compatible(baseURL).embeddingModel(model), options: sharedOptions(apiKey, send) };
  }
}

/**
 * Compatible models by address and name. Each holds schemas of 80 KiB, so that calls share them.
 * They know no key, and find the call's own way to send by its signal.
 */
const compatibleModels = new BoundedCache<string, LanguageModel>(100);
const sends = new WeakMap<AbortSignal, Send>();

function compatibleModel(baseUrl: string, model: string): LanguageModel {
  const key = JSON.stringify([baseUrl, model]);
  const known = compatibleModels.get(key);
  if (known) return known;
  const made = compatible(baseUrl).chatModel(model);
  compatibleModels.set(key, made);
  return made;
}

/** An empty key sends no `Authorization`. */
function sharedOptions(apiKey: string, send: Send): Opened<unknown>['options'] {
  const { signal } = new AbortController();
  sends.set(signal, send);
  return { abortSignal: signal, ...(apiKey === '' ? {} : { headers: { authorization: `Bearer ${apiKey}` } }) };
}

/** The library asks for usage only if it is told to. */
const compatible = (baseURL: string) =>
  createOpenAICompatible({
    baseURL,
    name: compatibleName,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: fetchOf((signal) => (signal ? sends.get(signal) : undefined)),
  });

function fetchOf(sendFor: (signal: AbortSignal | undefined) => Send | undefined): typeof globalThis.fetch {
  return (input, init) => {
    const { body, signal } = init ?? {};
    const send = sendFor(signal ?? undefined);
    if (!send || typeof input !== 'string' || typeof body !== 'string') throw new TypeError('the request is not JSON');
    return send(input, { headers: new Headers(init?.headers), body });
  };
}
