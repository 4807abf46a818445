import { statement } from '../../db/index.ts';

interface Params {
  projectIds: readonly string[];
  /** Runs of a project that one call lets go on at most. */
  page: number;
}

/**
 * Lets runs that wait for room under their project's ceiling go on, first come first; answers their lanes, one per run. See
 * `openSlots`. Rides `run_work_ceiling_idx`. What is ready is not counted: it may stand in lanes whose runners are busy, and
 * must not keep others waiting. What comes out to be too much is set aside again by the claim.
 */
export const openCeilings = statement<Params, { lane_id: number }>({
  name: 'openCeilings',
  writes: true,
  text: `
    with room as materialized (
      select p.id as project_id, case when p.concurrency_ceiling = 0 then $2::int8 else p.concurrency_ceiling - (
        select count(*) from run_work w where w.lease_id is not null and w.project_id = p.id
      ) end as runs
      from project p
      where p.id = any($1::uuid[])
        and exists (select from run_work w where w.gate = 'ceiling' and w.project_id = p.id offset 0)
    ),
    picked as materialized (
      select w.run_id
      from room
      cross join lateral (
        select run_id from run_work
        where gate = 'ceiling' and project_id = room.project_id
        order by position, run_id limit least(greatest(room.runs, 0), $2)
        for update skip locked
      ) w
    )
    update run_work w set state = 'ready', gate = null
    where w.run_id = any(array(select run_id from picked))
    returning w.lane_id
  `,
  values: ({ projectIds, page }) => [projectIds, page],
});
