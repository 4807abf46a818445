import { instant, statement, uuid } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

/** Revokes a key. A revoked key keeps the time of its first revocation. */
export const endApiKey = statement<ApiKey>('endApiKey').writes({
  params: { now: instant, id: uuid },
  text: `
    update api_key
    set revoked_at = coalesce(revoked_at, $now)
    where id = $id
    returning ${apiKeyColumns}`,
});
