import { statement, uuid } from '../../db/index.ts';
import type { ApprovalStatus } from '../approval.ts';

/** The run of an approval, so that the caller can lock it first. */
export const findApproval = statement<{ runId: string; status: ApprovalStatus }>('findApproval').reads({
  params: { projectId: uuid, id: uuid },
  text: 'select run_id, status from approval where id = $id and project_id = $projectId',
});
