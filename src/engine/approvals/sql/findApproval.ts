import { statement } from '../../db/index.ts';
import type { ApprovalStatus } from '../approval.ts';

interface Row {
  run_id: string;
  status: ApprovalStatus;
}

/** The run under an approval of a project, so that it can be locked first. */
export const findApproval = statement<{ projectId: string; id: string }, Row>({
  name: 'findApproval',
  writes: false,
  text: 'select run_id, status from approval where id = $1 and project_id = $2',
  values: ({ projectId, id }) => [id, projectId],
});
