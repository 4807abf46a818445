import { statement } from '../../db/index.ts';

/** Approvals whose deadline has passed undecided, the longest overdue first. Rides `approval_due_idx`. */
export const listDueApprovals = statement<{ limit: number; now: Date | null }, { id: string; run_id: string }>({
  name: 'listDueApprovals',
  writes: false,
  text: `
    select id, run_id from approval
    where status = 'pending' and expires_at is not null and expires_at <= coalesce($2::timestamptz, now())
    order by expires_at limit $1
  `,
  values: ({ limit, now }) => [limit, now],
});
