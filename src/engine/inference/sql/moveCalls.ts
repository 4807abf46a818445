import { int, statement, text, uuid } from '../../db/index.ts';
import { keyIdSql, movedToKeySql, ownerSql } from './keySql.ts';

/**
 * Moves waiting calls of a project that queue for another key than its calls use now. Rides
 * `inference_call_project_id_provider_lane_id_idx`. Calls that another transaction has locked are
 * skipped.
 */
export const moveCalls = statement<{ runId: string }>('moveCalls').writes({
  params: { projectId: uuid, provider: text, limit: int },
  text: `
    with wanted as materialized (
      select ${keyIdSql(`(${ownerSql('$projectId', '$provider')})`, '$provider')} as key_id
    ),
    astray as (
      select c.ctid from inference_call c
      where c.project_id = $projectId and c.provider = $provider and c.lease_id is null
        and c.key_id <> (select key_id from wanted)
      limit $limit
      for update skip locked
    )
    update inference_call c
    set ${movedToKeySql('c')}
    where c.ctid = any(array(select ctid from astray))
    returning c.run_id
  `,
});
