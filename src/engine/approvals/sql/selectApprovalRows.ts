import { statement } from '../../db/index.ts';
import { type ApprovalRow, approvalColumns } from '../reads/approvalRow.ts';

/** Approvals of a project by id, in no order. */
export const selectApprovalRows = statement<{ projectId: string; ids: readonly string[] }, ApprovalRow>({
  name: 'selectApprovalRows',
  writes: false,
  text: `
    select ${approvalColumns} from approval a join run r on r.id = a.run_id
    where a.id = any($1::uuid[]) and a.project_id = $2
  `,
  values: ({ projectId, ids }) => [ids, projectId],
});
