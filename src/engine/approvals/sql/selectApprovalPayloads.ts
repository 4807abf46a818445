import { statement } from '../../db/statement.ts';

interface Params {
  projectId: string;
  ids: readonly string[];
  args: boolean;
  editedArgs: boolean;
}

export interface ApprovalPayloads {
  id: string;
  args: string | null;
  editedArgs: string | null;
}

/** JSON texts of approvals. A column that was not asked for is not read. */
export const selectApprovalPayloads = statement<Params, ApprovalPayloads>({
  name: 'selectApprovalPayloads',
  writes: false,
  text: `
    select id, case when $3 then args end as args, case when $4 then edited_args end as "editedArgs"
    from approval where id = any($1::uuid[]) and project_id = $2
  `,
  values: ({ projectId, ids, args, editedArgs }) => [ids, projectId, args, editedArgs],
});
