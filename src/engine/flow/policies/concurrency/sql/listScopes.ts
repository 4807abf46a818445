import { bigint, statement, text, uuid } from '../../../../db/index.ts';

interface Row {
  app: string;
  workflow: string;
  key: string | null;
  limit: number;
  inUse: number;
  waiting: number;
}

/**
 * `concurrency` scopes in which runs execute or wait, the fullest first. Executing runs are few.
 * Waiting runs are found by hops from slot to slot over `run_work_gated_lane_idx`, however many
 * wait in each.
 */
export const listScopes = statement<Row>('listScopes').reads({
  params: {
    projectId: uuid,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    /** Default: all apps. */
    app: text.orNull,
    /** The maximum number of slots with waiting runs to examine. */
    maxGated: bigint,
    /** The maximum count of runs in a scope. */
    maxCount: bigint,
    limit: bigint,
  },
  text: `
    with recursive limited as materialized (
      select lane.id as lane_id, lane.app, lane.workflow, (definition.flow_control -> 'concurrency' ->> 'limit')::int8 as max
      from workflow definition join lane on lane.project_id = definition.project_id and lane.app = definition.app
        and lane.workflow = definition.name
      where definition.project_id = $projectId and ($workflow is null or definition.name = $workflow)
        and ($app is null or definition.app = $app)
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
      select slot from run_work where lease_id is not null and project_id = $projectId and slot is not null
      union
      select slot from (select slot from hop where slot is not null limit $maxGated) waiting
    ),
    scope as materialized (
      select taken.slot, head.lane_id, head.slot_key
      from taken
      cross join lateral (
        select lane_id, slot_key, project_id from run_work w
        where w.slot = taken.slot and w.state in ('leased', 'gated') limit 1
      ) head
      where head.project_id = $projectId
    )
    select limited.app, limited.workflow, nullif(scope.slot_key, '') as key, limited.max as limit,
      (select count(*) from run_work w where w.slot = scope.slot and w.state = 'leased') as in_use,
      (select count(*) from (
        (select 1 from run_work w where w.state = 'gated' and w.gate = 'slot' and w.slot = scope.slot limit $maxCount)
        union all
        (select 1 from run_work w where w.state = 'gated' and w.gate = 'ceiling' and w.slot = scope.slot limit $maxCount)
        union all
        (select 1 from run_work w where w.slot = scope.slot and w.state = 'ready' limit $maxCount)
      ) behind) as waiting
    from scope join limited on limited.lane_id = scope.lane_id
    order by waiting desc, in_use desc, limited.app, limited.workflow, key
    limit $limit
  `,
});
