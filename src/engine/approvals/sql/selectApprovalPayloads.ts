import { bigint, bool, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

export interface ApprovalPayloads extends Sized {
  id: string;
  args: string | null;
  editedArgs: string | null;
}

/** JSON texts of approvals. The statement reads only the requested columns. */
export const selectApprovalPayloads = statement<ApprovalPayloads>('selectApprovalPayloads').reads({
  params: {
    projectId: uuid,
    ids: uuid.list,
    args: bool,
    editedArgs: bool,
    /** The maximum number of bytes to read. */
    maxBytes: bigint,
  },
  text: `
    select id, bytes, upto <= $maxBytes as is_read, case when upto <= $maxBytes then args end as args,
      case when upto <= $maxBytes then edited_args end as edited_args
    from (
      select sized.*, sum(bytes) over (rows unbounded preceding) as upto
      from (
        select id, args, edited_args,
          coalesce(octet_length(args::text), 0) + coalesce(octet_length(edited_args::text), 0) as bytes
        from (
          select id, case when $args then args end as args, case when $editedArgs then edited_args end as edited_args
          from approval where id = any($ids) and project_id = $projectId
        ) wanted
      ) sized
    ) bounded
  `,
});
