import { statement } from '../../db/index.ts';

/** Which of the given keys open no door any more: revoked, expired, or gone. */
export const findEndedKeys = statement<{ ids: readonly string[]; now: Date | null }, { id: string }>({
  name: 'findEndedKeys',
  writes: false,
  text: `
    select watched.id
    from unnest($1::uuid[]) as watched (id)
    left join api_key on api_key.id = watched.id
    where api_key.id is null
      or api_key.revoked_at is not null
      or api_key.expires_at <= coalesce($2::timestamptz, now())`,
  values: ({ ids, now }) => [ids, now],
});
