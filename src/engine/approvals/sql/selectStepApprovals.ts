import { int, rowset, statement, uuid } from '../../db/index.ts';
import { type ApprovalRow, approvalColumns } from '../reads/approvalRow.ts';

/** The approvals of steps. Rides the unique index on run and step. */
export const selectStepApprovals = statement<ApprovalRow & { stepIndex: number }>('selectStepApprovals').reads({
  params: { projectId: uuid, steps: rowset({ runId: uuid, index: int }) },
  text: `
    select ${approvalColumns}, a.step_index
    from $steps as wanted
    join run r on r.id = wanted.run_id and r.project_id = $projectId
    join approval a on a.run_id = wanted.run_id and a.step_index = wanted.index`,
});
