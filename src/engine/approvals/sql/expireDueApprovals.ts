import { instant, statement, text, uuid } from '../../db/index.ts';
import type { ApprovalStatus } from '../approval.ts';

export interface ExpiredRow {
  id: string;
  projectId: string;
  runId: string;
  stepIndex: number;
  step: string;
  status: Exclude<ApprovalStatus, 'pending'>;
  /** JSON text. */
  args: string;
  decidedAt: Date | null;
}

/**
 * Applies deadlines (3.2) to approvals that are still undecided. The caller has locked their runs.
 * An escalated approval stays open, without a deadline.
 */
export const expireDueApprovals = statement<ExpiredRow>('expireDueApprovals').writes({
  params: { now: instant, ids: uuid.list, decidedBy: text },
  text: `
    update approval set
      status = case on_timeout
        when 'approve' then 'approved' when 'reject' then 'denied' when 'fail' then 'cancelled' else 'escalated' end,
      decided_by = case when on_timeout in ('approve', 'reject') then $decidedBy end,
      decided_via = case when on_timeout in ('approve', 'reject') then 'timeout' end,
      decided_at = case when on_timeout in ('approve', 'reject') then $clock end
    where id = any($ids) and status = 'pending' and expires_at <= $now
    returning id, project_id, run_id, step_index, step, status, args, decided_at
  `,
});
