import { float8, statement, uuid } from '../../db/index.ts';

/**
 * Deletes the least recently used answers of a project whose answers are larger than `maxBytes`
 * together, until they are at most `targetBytes`. An answer that is used meanwhile has another
 * `ctid`, so the delete does not find it.
 */
export const evictCached = statement<{ deleted: number }>('evictCached').writes({
  params: { projectId: uuid, maxBytes: float8, targetBytes: float8 },
  text: `
    with ranked as materialized (
      select ctid as version, sum(bytes) over (order by used_at desc, key) as newest, sum(bytes) over () as total
      from inference_cache
      where project_id = $projectId
    ),
    gone as (
      delete from inference_cache
      where ctid = any(array(select version from ranked where total > $maxBytes and newest > $targetBytes))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});
