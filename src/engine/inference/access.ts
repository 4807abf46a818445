import type { EngineContext } from '../context.ts';
import { hasOwnAddress, hasProviderKeys, ownAddresses, type ProviderScope, readProviderKey } from '../secrets/index.ts';

export const keySources = ['project', 'settings'] as const;
export type KeySource = (typeof keySources)[number];

/** How the calls of a project reach a provider. */
export interface ProviderAccess {
  provider: string;
  apiKey: string;
  /** Without a slash at its end; of `anthropic`, with its `/v1`. Undefined: the provider's own. */
  baseUrl: string | undefined;
  keyFrom: KeySource;
}

/** The text where a stored key is damaged, or sealed under another operator key. */
export const unreadableKeyText = 'the key of the provider cannot be opened: set it again';

/** The text of step errors and refusals without any key. */
const notConfiguredText = 'inference is not configured';

/**
 * The access of a project to a provider: its own key, else that of the settings. A key without a
 * base URL goes where the settings' base URL of the provider points. Undefined: there is no key,
 * or no address.
 */
export async function resolveAccess(ctx: EngineContext, scope: ProviderScope): Promise<ProviderAccess | undefined> {
  const { provider } = scope;
  const settings = settingsOf(ctx, provider);
  const own = await readProviderKey(ctx, scope);
  const apiKey = own?.apiKey ?? settings?.apiKey;
  if (!apiKey) return undefined;
  const baseUrl = normalBaseUrl(provider, own?.baseUrl ?? settings?.baseUrl);
  if (baseUrl === undefined && !hasOwnAddress(provider)) return undefined;
  return { provider, apiKey, baseUrl, keyFrom: own ? 'project' : 'settings' };
}

/** Why a call has no access. It names the provider where other providers have keys. */
export async function noAccessReason(ctx: EngineContext, { projectId, provider }: ProviderScope): Promise<string> {
  const inSettings = Object.values(ctx.settings.inference.providers).some(({ apiKey }) => apiKey);
  const hasOthers = inSettings || (await hasProviderKeys(ctx, projectId));
  return hasOthers ? `${notConfiguredText}: no key for ${provider}` : notConfiguredText;
}

/** The settings of a provider. Names come from runners, so inherited properties do not count. */
export const settingsOf = (ctx: EngineContext, provider: string) =>
  Object.hasOwn(ctx.settings.inference.providers, provider) ? ctx.settings.inference.providers[provider] : undefined;

function normalBaseUrl(provider: string, baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined) return undefined;
  const bare = baseUrl.replace(/\/+$/, '');
  const url = provider === 'anthropic' && !bare.endsWith('/v1') ? `${bare}/v1` : bare;
  return hasOwnAddress(provider) && url === ownAddresses[provider] ? undefined : url;
}
