import type { EngineContext } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { isId } from '../../ids.ts';
import {
  checkProviderKey,
  dropProviderKey,
  type ProviderKey,
  type ProviderScope,
  putProviderKey,
  readProviderKeys,
} from '../../secrets/index.ts';
import { type KeySource, settingsOf } from '../access.ts';
import { relaneCalls } from '../relaneCalls.ts';
import { settingsOwner } from '../sql/keySql.ts';
import { selectKeyUses } from './sql/selectKeyUses.ts';

/** A provider's key as operators see it: never the key. */
export interface ShownProviderKey {
  provider: string;
  source: KeySource;
  /** The last four characters. Null: the key is too short, or this process cannot open it. */
  lastFour: string | null;
  baseUrl: string | null;
  /** When a call last used it. A key of the settings serves all projects. */
  lastUsedAt: Date | null;
  lastRefusedAt: Date | null;
  /** Why the provider refused it last. */
  lastRefusal: string | null;
}

/**
 * Sets a project's key for a provider, and moves waiting calls to it. If the process dies in
 * between, the calls keep their lane and use the key all the same. Throws `invalid` naming the
 * field, or `notFound`.
 */
export async function setProviderKey(ctx: EngineContext, input: ProviderScope & ProviderKey): Promise<void> {
  checkProviderKey(input);
  const { projectId, provider } = input;
  await putProviderKey(ctx, ctx.db, input);
  ctx.log.info({ projectId, provider }, 'provider key set');
  await relaneCalls(ctx, projectId, provider);
}

/**
 * Removes a project's key for a provider. The settings' key then serves it. A repetition moves the
 * calls that the first try left. Throws `notFound`.
 */
export async function removeProviderKey(ctx: EngineContext, { projectId, provider }: ProviderScope): Promise<void> {
  if (!isId(projectId)) throw notFound('project not found');
  const wasSet = await dropProviderKey(ctx.db, { projectId, provider });
  if (wasSet) ctx.log.info({ projectId, provider }, 'provider key removed');
  await relaneCalls(ctx, projectId, provider);
  if (!wasSet) throw notFound('provider key not found');
}

/** The keys that serve a project: its own, and those of the settings of this process. */
export async function listProviderKeys(ctx: EngineContext, projectId: string): Promise<ShownProviderKey[]> {
  const own = await readProviderKeys(ctx, projectId);
  const named = new Set(own.map(({ provider }) => provider));
  const settings = Object.entries(ctx.settings.inference.providers).filter(
    ([provider, { apiKey }]) => apiKey && !named.has(provider),
  );
  const found = [
    ...own.map(({ provider, key }) => ({ provider, key, source: 'project' as const, owner: projectId })),
    ...settings.map(([provider, key]) => ({ provider, key, source: 'settings' as const, owner: settingsOwner })),
  ];
  const uses = found.length === 0 ? [] : await selectKeyUses(ctx.db, { keys: found });
  return found.map(({ provider, key, source, owner }) => {
    const use = uses.find((each) => each.provider === provider && each.owner === owner);
    return {
      provider,
      source,
      lastFour: lastFourOf(key?.apiKey),
      baseUrl: key?.baseUrl ?? settingsOf(ctx, provider)?.baseUrl ?? null,
      lastUsedAt: use?.lastUsedAt ?? null,
      lastRefusedAt: use?.lastRefusedAt ?? null,
      lastRefusal: use?.lastRefusal ?? null,
    };
  });
}

/** Below this length, four characters would tell too much of a key. */
const tellingLength = 12;

const lastFourOf = (apiKey: string | undefined): string | null =>
  apiKey !== undefined && apiKey.length >= tellingLength ? apiKey.slice(-4) : null;
