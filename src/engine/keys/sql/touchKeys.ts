import { instant, statement, uuid } from '../../db/index.ts';

/** Records the use of keys. The time never moves back, in whatever order processes write. */
export const touchKeys = statement<{ id: string }>('touchKeys').writes({
  params: { now: instant, ids: uuid.list },
  text: `
    update api_key
    set last_used_at = greatest(last_used_at, $now)
    where id = any($ids)
    returning id`,
});
