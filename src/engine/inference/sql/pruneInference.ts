import { float8, instant, int, statement } from '../../db/index.ts';
import { waitingSql } from './waitingSql.ts';

/** Deletes lanes that no call queues for. A claim makes them again. */
export const pruneLanes = statement<{ id: string }>('pruneLanes').writes({
  params: { now: instant, idleMs: float8, limit: int },
  text: `
    delete from inference_lane where id = any(array(
      select l.id from inference_lane l
      where l.updated_at <= $now - $idleMs * interval '1 ms' and coalesce(l.held_until <= $now, true)
        and not exists (select from inference_call where ${waitingSql} and key_id = l.key_id and lane_id = l.id)
        and not exists (select from inference_call where lease_id is not null and key_id = l.key_id and lane_id = l.id)
      limit $limit
      for update skip locked
    ))
    returning id
  `,
});

/** Deletes keys without a lane that were not used for long. Only their last use is forgotten. */
export const pruneKeys = statement<{ id: string }>('pruneKeys').writes({
  params: { now: instant, idleMs: float8, limit: int },
  text: `
    delete from inference_key where id = any(array(
      select k.id from inference_key k
      where coalesce(greatest(k.last_used_at, k.last_refused_at) <= $now - $idleMs * interval '1 ms', true)
        and not exists (select from inference_lane l where l.key_id = k.id)
      limit $limit
      for update skip locked
    ))
    returning id
  `,
});
