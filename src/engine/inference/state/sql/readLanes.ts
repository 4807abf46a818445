import { instant, int, rowset, statement, text, uuid } from '../../../db/index.ts';
import { keyIdSql } from '../../sql/keySql.ts';
import { widthSql } from '../../sql/widthSql.ts';

export interface LaneRow {
  laneId: string;
  provider: string;
  model: string;
  isOwn: boolean;
  inFlight: number;
  waiting: number;
  /** Null: as many as the key may have. */
  width: number | null;
  heldUntil: Date | null;
  heldFor: string | null;
}

/**
 * The figures of lanes, counted up to a limit on the partial indexes of the claim. Calls that
 * ask the cache are not in their lane yet, and those of paused runs are not waiting.
 */
export const readLanes = statement<LaneRow>('readLanes').reads({
  params: {
    projectId: uuid,
    now: instant,
    counted: int,
    lanes: rowset({ laneId: uuid, keyId: uuid, provider: text, model: text }),
  },
  text: `
    select given.lane_id, given.provider, given.model,
      given.key_id = ${keyIdSql('$projectId::text', 'given.provider')} as is_own,
      flight.calls::int as in_flight, queue.calls::int as waiting, ${widthSql('l')} as width,
      case when l.held_until > $now then l.held_until end as held_until, l.held_for
    from $lanes as given
    left join inference_lane l on l.id = given.lane_id
    cross join lateral (
      select count(*) as calls from (
        select from inference_call c
        where c.key_id = given.key_id and c.lane_id = given.lane_id and c.lease_id is not null and not c.looks_up
        limit $counted
      ) call
    ) flight
    cross join lateral (
      select count(*) as calls from (
        select from inference_call c
        where c.key_id = given.key_id and c.lane_id = given.lane_id and c.project_id = $projectId
          and c.lease_id is null and c.paused_at is null and not c.looks_up
        limit $counted
      ) call
    ) queue
    order by queue.calls + flight.calls desc, given.provider, given.model, given.lane_id`,
});
