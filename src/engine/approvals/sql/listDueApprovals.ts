import { bigint, instant, statement } from '../../db/index.ts';

/**
 * Undecided approvals after their deadline, the longest overdue first. Rides `approval_due_idx`.
 */
export const listDueApprovals = statement<{ id: string; runId: string }>('listDueApprovals').reads({
  params: { now: instant, limit: bigint },
  text: `
    select id, run_id from approval
    where status = 'pending' and expires_at is not null and expires_at <= $now
    order by expires_at limit $limit
  `,
});
