import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { checkName } from '../projects/index.ts';
import { boundTo, openSecret, sealSecret } from './seal.ts';
import { findSealedSecret } from './sql/findSealedSecret.ts';
import { hasSecrets } from './sql/hasSecrets.ts';
import { putSealedSecrets } from './sql/putSealedSecrets.ts';

/** The access of a project to a model provider. */
export interface ProviderKey {
  apiKey: string;
  /** The address of an OpenAI-compatible provider. Default: the provider's own. */
  baseUrl?: string | undefined;
}

export interface ProviderScope {
  projectId: string;
  /** `anthropic`, `openai`, or a custom name. */
  provider: string;
}

const maxLength = 2048;

/** The providers that have an address of their own. All others need a base URL. */
export const ownAddresses: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
};

export const hasOwnAddress = (provider: string): boolean => Object.hasOwn(ownAddresses, provider);

/**
 * Stores a provider's key, sealed, and replaces an earlier one. A provider without an address of
 * its own needs a base URL. Throws `invalid` naming the field, or `notFound`.
 */
export async function setProviderKey(ctx: EngineContext, input: ProviderScope & ProviderKey): Promise<void> {
  const { projectId, provider, apiKey, baseUrl } = input;
  checkName('provider', provider);
  if (typeof apiKey !== 'string' || apiKey === '' || apiKey.length > maxLength) {
    throw invalid(`apiKey: must be a string of 1 to ${maxLength} characters`);
  }
  if (baseUrl !== undefined) checkBaseUrl(baseUrl);
  else if (!hasOwnAddress(provider)) {
    throw invalid(`baseUrl: is required, unless the provider is ${Object.keys(ownAddresses).join(' or ')}`);
  }
  if (!isId(projectId)) throw notFound('project not found');
  const ref = { projectId, kind: 'provider', name: provider };
  const sealed = sealSecret(ctx, JSON.stringify({ apiKey, baseUrl } satisfies ProviderKey), boundTo(ref));
  const stored = await putSealedSecrets(ctx.db, { projectId, secrets: [{ ...ref, sealed }], now: ctx.clock.sql() });
  if (stored.length === 0) throw notFound('project not found');
  ctx.log.info({ projectId, provider }, 'provider key set');
}

/** The provider's key of a project; undefined if none is set. */
export async function readProviderKey(ctx: EngineContext, scope: ProviderScope): Promise<ProviderKey | undefined> {
  const ref = { projectId: scope.projectId, kind: 'provider', name: scope.provider };
  const [row] = await findSealedSecret(ctx.db, ref);
  return row && parseProviderKey(JSON.parse(openSecret(ctx, row.sealed, boundTo(ref))));
}

/** Whether a project has a key of its own for any provider. */
export const hasProviderKeys = async (ctx: EngineContext, projectId: string): Promise<boolean> =>
  (await hasSecrets(ctx.db, { projectId, kind: 'provider' })).length > 0;

function parseProviderKey(value: unknown): ProviderKey {
  if (typeof value !== 'object' || value === null || !('apiKey' in value) || typeof value.apiKey !== 'string') {
    throw new Error('a stored provider key is unreadable');
  }
  const baseUrl = 'baseUrl' in value && typeof value.baseUrl === 'string' ? value.baseUrl : undefined;
  return { apiKey: value.apiKey, baseUrl };
}

function checkBaseUrl(baseUrl: string): void {
  const url = baseUrl.length <= maxLength && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid(`baseUrl: must be an http or https URL of at most ${maxLength} characters`);
  }
  if (url.username !== '' || url.password !== '') throw invalid('baseUrl: must not contain a user name or password');
}
