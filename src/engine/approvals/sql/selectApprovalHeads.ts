import { int, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';
import { headColumns, type PayloadHead } from '../../paging/index.ts';

/** Sizes and beginnings of the arguments of approvals. Rides the primary key. */
export const selectApprovalHeads = statement<PayloadHead>('selectApprovalHeads').reads({
  params: {
    projectId: uuid,
    wanted: rowset({ n: ordinal, id: uuid, part: text.narrow<'args' | 'editedArgs'>(), characters: int }),
  },
  text: `select ${headColumns}
         from $wanted as w
         join approval a on a.id = w.id and a.project_id = $projectId
         cross join lateral (
           select case w.part when 'args' then a.args::text when 'editedArgs' then a.edited_args::text end as text offset 0
         ) p
         where p.text is not null`,
});
