import { instant, statement, uuid } from '../../db/index.ts';

/** The given keys that have ended: revoked, expired, or deleted. */
export const findEndedKeys = statement<{ id: string }>('findEndedKeys').reads({
  params: { now: instant, ids: uuid.list },
  text: `
    select watched.id
    from unnest($ids) as watched (id)
    left join api_key on api_key.id = watched.id
    where api_key.id is null
      or api_key.revoked_at is not null
      or api_key.expires_at <= $now`,
});
