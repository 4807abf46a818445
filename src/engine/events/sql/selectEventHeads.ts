import { int, ordinal, rowset, statement, uuid } from '../../db/index.ts';
import { headColumns, type PayloadHead } from '../../paging/index.ts';

/** Sizes and beginnings of the data of events. Rides the primary key. */
export const selectEventHeads = statement<PayloadHead>('selectEventHeads').reads({
  params: { projectId: uuid, wanted: rowset({ n: ordinal, id: uuid, characters: int }) },
  text: `select ${headColumns}
         from $wanted as w
         join event e on e.id = w.id and e.project_id = $projectId
         cross join lateral (select e.data::text as text offset 0) p
         where p.text is not null`,
});
