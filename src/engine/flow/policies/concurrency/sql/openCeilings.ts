import { bigint, statement, uuid } from '../../../../db/index.ts';

/**
 * Makes runs ready that wait for their project's ceiling, in queue order. Returns their lanes, one
 * per run. See `openSlots`. Rides `run_work_ceiling_idx`. Ready runs are not counted: the runners
 * of their lanes may be busy, and they must not delay others. The claim gates excess runs again.
 */
export const openCeilings = statement<{ laneId: number }>('openCeilings').writes({
  params: {
    projectIds: uuid.list,
    /** The maximum number of runs per project and call. */
    page: bigint,
  },
  text: `
    with room as materialized (
      select p.id as project_id, case when p.concurrency_ceiling = 0 then $page else p.concurrency_ceiling - (
        select count(*) from run_work w where w.lease_id is not null and w.project_id = p.id
      ) end as runs
      from project p
      where p.id = any($projectIds)
        and exists (select from run_work w where w.gate = 'ceiling' and w.project_id = p.id offset 0)
    ),
    picked as materialized (
      select w.run_id
      from room
      cross join lateral (
        select run_id from run_work
        where gate = 'ceiling' and project_id = room.project_id
        order by position, run_id limit least(greatest(room.runs, 0), $page)
        for update skip locked
      ) w
    )
    update run_work w set state = 'ready', gate = null
    where w.run_id = any(array(select run_id from picked))
    returning w.lane_id
  `,
});
