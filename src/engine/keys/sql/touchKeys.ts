import { instant, statement, uuid } from '../../db/index.ts';

/** Notes that keys were used. Never moves the note back, whichever process comes last. */
export const touchKeys = statement<{ id: string }>('touchKeys').writes({
  params: { now: instant, ids: uuid.list },
  text: `
    update api_key
    set last_used_at = greatest(last_used_at, $now)
    where id = any($ids)
    returning id`,
});
