import { int, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';
import { headColumns, type PayloadHead } from '../../paging/index.ts';

/** Sizes and beginnings of payloads of runs. Rides the primary key. */
export const selectRunHeads = statement<PayloadHead>('selectRunHeads').reads({
  params: {
    projectId: uuid,
    wanted: rowset({ n: ordinal, id: uuid, part: text.narrow<'input' | 'result'>(), characters: int }),
  },
  text: `select ${headColumns}
         from $wanted as w
         join run r on r.id = w.id and r.project_id = $projectId
         cross join lateral (
           select case w.part when 'input' then r.input::text when 'result' then r.result::text end as text offset 0
         ) p
         where p.text is not null`,
});
