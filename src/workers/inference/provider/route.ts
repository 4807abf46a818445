import { UnusableRequest } from './unusableRequest.ts';

/** What a call needs to reach its provider. */
export interface ProviderAccess {
  /** `anthropic`, `openai`, or the name of a compatible provider. */
  provider: string;
  /** Empty: the provider needs none. */
  apiKey: string;
  /** From an operator. Absent: the provider's own address. */
  baseUrl?: string | undefined;
}

/** The format of requests and answers. */
export type Wire = 'messages' | 'responses' | 'chat';

export interface Route {
  wire: Wire;
  /** Without a slash at the end. */
  baseUrl: string;
}

const anthropicUrl = 'https://api.anthropic.com/v1';
const openaiUrl = 'https://api.openai.com/v1';
const openaiOrigin = new URL(openaiUrl).origin;

/**
 * The format and the address of a provider. OpenAI speaks Responses at its own address only: other
 * addresses are those of compatible servers, and these speak chat completions. Throws if a provider
 * of another name has no address.
 */
export function routeOf({ provider, baseUrl }: ProviderAccess): Route {
  const given = baseUrl?.replace(/\/+$/, '');
  if (provider === 'anthropic') return { wire: 'messages', baseUrl: given ? withVersion(given) : anthropicUrl };
  if (provider === 'openai' && (!given || given === openaiUrl || given === openaiOrigin)) {
    return { wire: 'responses', baseUrl: openaiUrl };
  }
  if (given) return { wire: 'chat', baseUrl: given };
  throw new UnusableRequest(`no base URL for ${provider}`);
}

/** The vendor's client appends `/v1/messages`, and the library only `/messages`. */
const withVersion = (url: string): string => (url.endsWith('/v1') ? url : `${url}/v1`);
