import type { EngineContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import type { ApiKey } from './apiKey.ts';
import { endApiKey } from './sql/endApiKey.ts';

/**
 * Revokes a key for good: this process refuses it at once, others within two seconds; open sockets and streams end within
 * five. Revoking it again changes nothing. Throws `notFound`.
 */
export async function revokeApiKey(ctx: EngineContext, { id }: { id: string }): Promise<ApiKey> {
  if (!isId(id)) throw notFound('API key not found');
  const [apiKey] = await endApiKey(ctx.db, { id, now: ctx.clock.sql() });
  if (!apiKey) throw notFound('API key not found');
  ctx.bus.emit('key.revoked', { keyId: id });
  ctx.log.info({ keyId: id, projectId: apiKey.projectId, name: apiKey.name }, 'key revoked');
  return apiKey;
}
