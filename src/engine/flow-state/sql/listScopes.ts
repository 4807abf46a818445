import { statement } from '../../db/index.ts';

interface Params {
  projectId: string;
  /** All of the project when undefined. */
  workflow: string | undefined;
  /** Slots in which runs wait that are looked at. */
  maxGated: number;
  /** Runs of a scope are counted up to this. */
  maxCount: number;
  limit: number;
}

interface Row {
  app: string;
  workflow: string;
  key: string | null;
  limit: number;
  in_use: number;
  waiting: number;
}

/**
 * Scopes of `concurrency` in which something executes or waits, the fullest first. Whatever executes anywhere is little; where
 * runs wait, hops from slot to slot of its lanes over `run_work_gated_lane_idx` find it, however many wait in each.
 */
export const listScopes = statement<Params, Row>({
  name: 'listScopes',
  writes: false,
  text: `
    with recursive limited as materialized (
      select lane.id as lane_id, lane.app, lane.workflow, (definition.flow_control -> 'concurrency' ->> 'limit')::int8 as max
      from workflow definition join lane on lane.project_id = definition.project_id and lane.app = definition.app
        and lane.workflow = definition.name
      where definition.project_id = $1 and ($2::text is null or definition.name = $2)
        and definition.flow_control -> 'concurrency' is not null
    ),
    hop as (
      select lane_id, (
        select w.slot from run_work w where w.state = 'gated' and w.gate = 'slot' and w.lane_id = limited.lane_id
        order by w.slot limit 1) as slot
      from limited
      union all
      select lane_id, (
        select w.slot from run_work w where w.state = 'gated' and w.gate = 'slot' and w.lane_id = hop.lane_id and w.slot > hop.slot
        order by w.slot limit 1)
      from hop where hop.slot is not null
    ),
    taken as (
      select slot from run_work where lease_id is not null and project_id = $1 and slot is not null
      union
      select slot from (select slot from hop where slot is not null limit $3) waiting
    ),
    scope as materialized (
      select taken.slot, head.lane_id, head.slot_key
      from taken
      cross join lateral (
        select lane_id, slot_key, project_id from run_work w
        where w.slot = taken.slot and w.state in ('leased', 'gated') limit 1
      ) head
      where head.project_id = $1
    )
    select limited.app, limited.workflow, nullif(scope.slot_key, '') as key, limited.max as limit,
      (select count(*) from run_work w where w.slot = scope.slot and w.state = 'leased') as in_use,
      (select count(*) from (
        (select 1 from run_work w where w.state = 'gated' and w.gate = 'slot' and w.slot = scope.slot limit $4)
        union all
        (select 1 from run_work w where w.state = 'gated' and w.gate = 'ceiling' and w.slot = scope.slot limit $4)
        union all
        (select 1 from run_work w where w.slot = scope.slot and w.state = 'ready' limit $4)
      ) behind) as waiting
    from scope join limited on limited.lane_id = scope.lane_id
    order by waiting desc, in_use desc, limited.app, limited.workflow, key
    limit $5
  `,
  values: ({ projectId, workflow, maxGated, maxCount, limit }) => [
    projectId,
    workflow ?? null,
    maxGated,
    maxCount,
    limit,
  ],
});
