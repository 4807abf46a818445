import { statement, uuid } from '../../db/index.ts';
import { type ApprovalRow, approvalColumns } from '../reads/approvalRow.ts';

/** Approvals of a project by id, unordered. */
export const selectApprovalRows = statement<ApprovalRow>('selectApprovalRows').reads({
  params: { projectId: uuid, ids: uuid.list },
  text: `
    select ${approvalColumns} from approval a join run r on r.id = a.run_id
    where a.id = any($ids) and a.project_id = $projectId
  `,
});
