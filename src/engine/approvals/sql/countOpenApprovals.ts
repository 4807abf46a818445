import { int, statement, uuid } from '../../db/index.ts';

/** Open approvals by risk, the most first, of the newest `limit`. Rides `approval_open_idx`. */
export const countOpenApprovals = statement<{ risk: string; count: number }>('countOpenApprovals').reads({
  params: {
    projectId: uuid,
    /** Approvals to count at most. */
    limit: int,
  },
  text: `select risk, count(*)::int as count
         from (
           select risk from approval where project_id = $projectId and status in ('pending', 'escalated')
           order by id desc limit $limit
         ) open
         group by risk order by count(*) desc, risk`,
});
