import { statement } from '../../db/index.ts';
import type { ApprovalStatus } from '../approval.ts';

interface Params {
  ids: readonly string[];
  decidedBy: string;
  now: Date | null;
}

export interface ExpiredRow {
  id: string;
  project_id: string;
  run_id: string;
  step_index: number;
  step: string;
  status: Exclude<ApprovalStatus, 'pending'>;
  /** JSON text. */
  args: string;
  decided_at: Date | null;
}

/**
 * Applies deadlines (3.2) to those of the approvals that are still undecided. The caller has locked their runs. An
 * escalated approval stays open and has no deadline any more.
 */
export const expireDueApprovals = statement<Params, ExpiredRow>({
  name: 'expireDueApprovals',
  writes: true,
  text: `
    update approval set
      status = case on_timeout
        when 'approve' then 'approved' when 'reject' then 'denied' when 'fail' then 'cancelled' else 'escalated' end,
      decided_by = case when on_timeout in ('approve', 'reject') then $2 end,
      decided_via = case when on_timeout in ('approve', 'reject') then 'timeout' end,
      decided_at = case when on_timeout in ('approve', 'reject') then coalesce($3::timestamptz, clock_timestamp()) end
    where id = any($1::uuid[]) and status = 'pending' and expires_at <= coalesce($3::timestamptz, now())
    returning id, project_id, run_id, step_index, step, status, args, decided_at
  `,
  values: ({ ids, decidedBy, now }) => [ids, decidedBy, now],
});
