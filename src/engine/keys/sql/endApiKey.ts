import { statement } from '../../db/index.ts';
import { type ApiKey, apiKeyColumns } from '../apiKey.ts';

/** Revokes; a key that is revoked already keeps the time at which that happened. */
export const endApiKey = statement<{ id: string; now: Date | null }, ApiKey>({
  name: 'endApiKey',
  writes: true,
  text: `
    update api_key
    set revoked_at = coalesce(revoked_at, $2::timestamptz, now())
    where id = $1
    returning ${apiKeyColumns}`,
  values: ({ id, now }) => [id, now],
});
