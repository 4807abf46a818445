import { statement } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

interface Params {
  projectId: string;
  ids: readonly string[];
  args: boolean;
  editedArgs: boolean;
  /** Bytes to read at most. */
  maxBytes: number;
}

export interface ApprovalPayloads extends Sized {
  id: string;
  args: string | null;
  editedArgs: string | null;
}

/** JSON texts of approvals. A column that was not asked for is not read. */
export const selectApprovalPayloads = statement<Params, ApprovalPayloads>({
  name: 'selectApprovalPayloads',
  writes: false,
  text: `
    select id, bytes, upto <= $5 as "isRead", case when upto <= $5 then args end as args,
      case when upto <= $5 then edited_args end as "editedArgs"
    from (
      select sized.*, sum(bytes) over (rows unbounded preceding) as upto
      from (
        select id, args, edited_args,
          coalesce(octet_length(args::text), 0) + coalesce(octet_length(edited_args::text), 0) as bytes
        from (
          select id, case when $3 then args end as args, case when $4 then edited_args end as edited_args
          from approval where id = any($1::uuid[]) and project_id = $2
        ) wanted
      ) sized
    ) bounded
  `,
  values: ({ projectId, ids, args, editedArgs, maxBytes }) => [ids, projectId, args, editedArgs, maxBytes],
});
