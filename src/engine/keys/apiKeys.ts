import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId, newId } from '../ids.ts';
import { pageSize } from '../paging/index.ts';
import { checkName } from '../projects/index.ts';
import type { ApiKey } from './apiKey.ts';
import { keyRing } from './keyRing.ts';
import { mintKey } from './keys.ts';
import { endApiKey } from './sql/endApiKey.ts';
import { findApiKey } from './sql/findApiKey.ts';
import { insertApiKey } from './sql/insertApiKey.ts';
import { listApiKeyRows } from './sql/listApiKeyRows.ts';

export interface NewApiKey {
  /**
   * Required for secret and public keys. A platform key with a project acts only for that project,
   * otherwise for any.
   */
  projectId?: string | undefined;
  name: string;
  kind: ApiKey['kind'];
  /** Default: the key never expires. */
  expiresAt?: Date | undefined;
}

export interface IssuedKey {
  apiKey: ApiKey;
  /** The key itself, which is shown only here. */
  token: string;
}

const kinds: readonly string[] = ['secret', 'public', 'platform'] satisfies ApiKey['kind'][];

/** Issues a key. Throws `invalid` naming the field, or `notFound` if the project does not exist. */
export async function createApiKey(ctx: EngineContext, input: NewApiKey): Promise<IssuedKey> {
  const { name, kind, expiresAt } = input;
  checkName('name', name);
  if (!kinds.includes(kind)) throw invalid(`kind: must be one of ${kinds.join(', ')}`);
  checkExpiry(ctx, expiresAt);
  const isUnbound = kind === 'platform' && input.projectId === undefined;
  const projectId = isUnbound ? null : owningProject(input.projectId);
  const { token, hash, hint } = mintKey(kind);
  const row = { id: newId(), projectId, name, kind, hash, hint, expiresAt };
  const [apiKey] = await insertApiKey(ctx.db, row);
  if (!apiKey) throw notFound('project not found');
  keyRing(ctx).keys.created(hash.toString('hex'));
  ctx.log.info({ keyId: apiKey.id, projectId, name, kind }, 'key issued');
  return { apiKey, token };
}

function owningProject(projectId: string | undefined): string {
  if (projectId === undefined) throw invalid('projectId: required for secret and public keys');
  if (!isId(projectId)) throw notFound('project not found');
  return projectId;
}

function checkExpiry(ctx: EngineContext, expiresAt: Date | undefined): void {
  if (expiresAt === undefined) return;
  if (Number.isNaN(expiresAt.getTime())) throw invalid('expiresAt: must be a timestamp');
  if (expiresAt <= ctx.clock.now()) throw invalid('expiresAt: must be in the future');
  if (expiresAt.getUTCFullYear() > 9999) throw invalid('expiresAt: must be before the year 10000');
}

export interface ApiKeyPage {
  /** Only keys of this project. Default: all keys, including platform keys. */
  projectId?: string | undefined;
  /** The id of the last key of the previous page. */
  after?: string | undefined;
  /** 1 to 1000; default 100. */
  limit?: number | undefined;
}

/** Keys, newest first, including revoked and expired ones. */
export async function listApiKeys(ctx: EngineContext, { projectId, after, limit }: ApiKeyPage = {}): Promise<ApiKey[]> {
  if (projectId !== undefined && !isId(projectId)) throw notFound('project not found');
  if (after !== undefined && !isId(after)) throw invalid('after: must be the id of a key');
  return listApiKeyRows(ctx.db, { projectId, after, limit: pageSize(limit, 'limit') });
}

/** A key by its id; undefined if there is none. */
export async function getApiKey(ctx: EngineContext, id: string): Promise<ApiKey | undefined> {
  const [apiKey] = await findApiKey(ctx.db, { id });
  return apiKey;
}

/**
 * Revokes a key for good. This process refuses it at once, others within two seconds. Open sockets
 * and streams end within five. Idempotent. Throws `notFound`.
 */
export async function revokeApiKey(ctx: EngineContext, { id }: { id: string }): Promise<ApiKey> {
  if (!isId(id)) throw notFound('API key not found');
  const [apiKey] = await endApiKey(ctx.db, { id, now: ctx.clock.sql() });
  if (!apiKey) throw notFound('API key not found');
  ctx.bus.emit('key.revoked', { keyId: id });
  ctx.log.info({ keyId: id, projectId: apiKey.projectId, name: apiKey.name }, 'key revoked');
  return apiKey;
}
