import { bigint, statement, uuid } from '../../db/index.ts';
import { type ApprovalRow, approvalColumns } from '../reads/approvalRow.ts';

/**
 * Approvals of runs, newest first, with a limit per run. Rides the unique index on run and step.
 */
export const selectRunApprovals = statement<ApprovalRow>('selectRunApprovals').reads({
  params: {
    projectId: uuid,
    runIds: uuid.list,
    /** The maximum number of approvals per run. */
    limit: bigint,
  },
  text: `
    select ${approvalColumns}
    from unnest($runIds) as wanted (run_id)
    join run r on r.id = wanted.run_id and r.project_id = $projectId
    cross join lateral (
      select * from approval where approval.run_id = wanted.run_id order by step_index desc limit $limit
    ) a
    order by a.run_id, a.step_index desc
  `,
});
