import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { checkName } from '../projects/index.ts';
import { boundTo, openSecret, sealSecret, UnreadableSealError } from './seal.ts';
import { deleteSealedSecrets } from './sql/deleteSealedSecrets.ts';
import { findSealedSecret, type SecretRef } from './sql/findSealedSecret.ts';
import { pageSealedSecrets } from './sql/pageSealedSecrets.ts';
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

export interface StoredProviderKey {
  provider: string;
  /** Undefined: it was sealed under an operator key that this process does not have. */
  key: ProviderKey | undefined;
}

const maxLength = 2048;

/** The providers that have an address of their own. All others need a base URL. */
export const ownAddresses: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
};

export const hasOwnAddress = (provider: string): boolean => Object.hasOwn(ownAddresses, provider);

/** Throws `invalid`, naming the field. Providers without an address of their own need a URL. */
export function checkProviderKey({ provider, apiKey, baseUrl }: ProviderScope & ProviderKey): void {
  checkName('provider', provider);
  if (typeof apiKey !== 'string' || apiKey === '' || apiKey.length > maxLength) {
    throw invalid(`apiKey: must be a string of 1 to ${maxLength} characters`);
  }
  // The key is sent in a header.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw invalid('apiKey: must be printable ASCII without spaces');
  if (baseUrl !== undefined) checkBaseUrl(baseUrl);
  else if (!hasOwnAddress(provider)) {
    throw invalid(`baseUrl: is required, unless the provider is ${Object.keys(ownAddresses).join(' or ')}`);
  }
}

/** Stores a provider's key, sealed, and replaces an earlier one. Throws `notFound`. */
export async function putProviderKey(
  ctx: EngineContext,
  tx: Queryable,
  { projectId, provider, apiKey, baseUrl }: ProviderScope & ProviderKey,
): Promise<void> {
  if (!isId(projectId)) throw notFound('project not found');
  const ref = refOf({ projectId, provider });
  const sealed = sealSecret(ctx, JSON.stringify({ apiKey, baseUrl } satisfies ProviderKey), boundTo(ref));
  const stored = await putSealedSecrets(tx, { projectId, secrets: [{ ...ref, sealed }], now: ctx.clock.sql() });
  if (stored.length === 0) throw notFound('project not found');
}

/** Deletes a provider's key. Returns whether there was one. */
export async function dropProviderKey(tx: Queryable, scope: ProviderScope): Promise<boolean> {
  const { projectId, kind, name } = refOf(scope);
  return (await deleteSealedSecrets(tx, { projectId, kinds: [kind], name })).length > 0;
}

/** The provider's key of a project; undefined if none is set. */
export async function readProviderKey(ctx: EngineContext, scope: ProviderScope): Promise<ProviderKey | undefined> {
  const ref = refOf(scope);
  const [row] = await findSealedSecret(ctx.db, ref);
  return row && openProviderKey(ctx, ref, row.sealed);
}

/** Provider keys of a project that are read; by the names of their providers. */
export const maxProviderKeys = 1000;

/** The provider keys of a project, by the names of their providers. */
export async function readProviderKeys(ctx: EngineContext, projectId: string): Promise<StoredProviderKey[]> {
  const rows = await pageSealedSecrets(ctx.db, { projectId, kind: 'provider', limit: maxProviderKeys });
  return rows.map(({ name, sealed }) => ({
    provider: name,
    key: openIfKnown(ctx, refOf({ projectId, provider: name }), sealed),
  }));
}

/** Whether a project has a key of its own for any provider. */
export const hasProviderKeys = async (ctx: EngineContext, projectId: string): Promise<boolean> =>
  (await pageSealedSecrets(ctx.db, { projectId, kind: 'provider', limit: 1 })).length > 0;

const refOf = ({ projectId, provider }: ProviderScope) => ({ projectId, kind: 'provider', name: provider }) as const;

const openProviderKey = (ctx: EngineContext, ref: SecretRef, sealed: Buffer): ProviderKey =>
  parseProviderKey(JSON.parse(openSecret(ctx, sealed, boundTo(ref))));

function openIfKnown(ctx: EngineContext, ref: SecretRef, sealed: Buffer): ProviderKey | undefined {
  try {
    return openProviderKey(ctx, ref, sealed);
  } catch (error) {
    if (error instanceof UnreadableSealError) return undefined;
    throw error;
  }
}

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
  if (url.search !== '' || url.hash !== '') throw invalid('baseUrl: must not contain a query or a fragment');
}
