import { statement } from '../../db/statement.ts';

/** Children of a run that are not over, a page at a time. */
export const openChildren = statement<{ runId: string; limit: number }, { id: string }>({
  name: 'openChildren',
  writes: false,
  text: `
    select r.id from run r join run_work w on w.run_id = r.id
    where r.parent_run_id = $1 order by r.id limit $2
  `,
  values: ({ runId, limit }) => [runId, limit],
});
