import { bigint, statement, uuid } from '../../db/index.ts';

/**
 * Unfinished children of runs, a page at a time. `offset 0` prevents a join: the planner would walk
 * all runs in order of their ids to find a few.
 */
export const openChildren = statement<{ id: string }>('openChildren').reads({
  params: { runIds: uuid.list, limit: bigint },
  text: `
    with child as materialized (select id from run where parent_run_id = any($runIds))
    select id from child
    where exists (select from run_work w where w.run_id = child.id offset 0)
    order by id limit $limit
  `,
});
