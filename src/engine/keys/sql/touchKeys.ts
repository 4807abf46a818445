import { statement } from '../../db/index.ts';

/** Notes that keys were used. Never moves the note back, whichever process comes last. */
export const touchKeys = statement<{ ids: readonly string[]; now: Date | null }, { id: string }>({
  name: 'touchKeys',
  writes: true,
  text: `
    update api_key
    set last_used_at = greatest(last_used_at, coalesce($2::timestamptz, now()))
    where id = any($1::uuid[])
    returning id`,
  values: ({ ids, now }) => [ids, now],
});
