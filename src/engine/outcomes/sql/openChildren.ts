import { statement } from '../../db/index.ts';

/**
 * Children of runs that are not over, a page at a time. `offset 0` keeps the planner from joining: it would walk all runs in
 * order of their ids in search of a few, which costs the more the more there are.
 */
export const openChildren = statement<{ runIds: readonly string[]; limit: number }, { id: string }>({
  name: 'openChildren',
  writes: false,
  text: `
    with child as materialized (select id from run where parent_run_id = any($1::uuid[]))
    select id from child
    where exists (select from run_work w where w.run_id = child.id offset 0)
    order by id limit $2
  `,
  values: ({ runIds, limit }) => [runIds, limit],
});
