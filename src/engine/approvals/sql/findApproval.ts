import { statement, uuid } from '../../db/index.ts';
import type { ApprovalStatus } from '../approval.ts';

/** The run under an approval of a project, so that it can be locked first. */
export const findApproval = statement<{ runId: string; status: ApprovalStatus }>('findApproval').reads({
  params: { projectId: uuid, id: uuid },
  text: 'select run_id, status from approval where id = $id and project_id = $projectId',
});
