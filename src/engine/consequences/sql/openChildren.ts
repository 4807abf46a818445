import { bigint, statement, uuid } from '../../db/index.ts';

/**
 * Children of runs that are not over, a page at a time. `offset 0` keeps the planner from joining:
 * it would walk all runs in order of their ids in search of a few, which costs the more the more
 * there are.
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
