import { instant, int, statement, text, uuid } from '../../../db/index.ts';
import { keyIdSql } from '../../sql/keySql.ts';

/** A lane as its calls name it: the first call may come before the lane's own row. */
export interface LaneRef {
  laneId: string;
  keyId: string;
  provider: string;
  model: string;
}

/**
 * The lanes of a project: those in which its calls are, and those of its own keys that are held or
 * say why calls failed. The first part jumps from lane to lane on an index of the calls, so that a
 * long queue costs as little as a short one.
 */
export const findLanes = statement<LaneRef>('findLanes').reads({
  params: { projectId: uuid, kind: text, now: instant, limit: int },
  text: `
    with recursive used as (
      (select provider, lane_id, key_id, model from inference_call
       where project_id = $projectId
       order by provider, lane_id limit 1)
      union all
      select next.provider, next.lane_id, next.key_id, next.model
      from used
      cross join lateral (
        select provider, lane_id, key_id, model from inference_call
        where project_id = $projectId and (provider, lane_id) > (used.provider, used.lane_id)
        order by provider, lane_id limit 1
      ) next
    )
    (select lane_id, key_id, provider, model from used limit $limit)
    union
    (select l.id, l.key_id, l.provider, l.model
     from sealed_secret s
     join inference_lane l on l.key_id = ${keyIdSql('s.project_id::text', 's.name')}
     where s.project_id = $projectId and s.kind = $kind and (l.held_until > $now or l.held_for is not null)
     limit $limit)`,
});
