import { int, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';
import { headColumns, type PayloadHead } from '../../paging/index.ts';

/** Sizes and beginnings of payloads of steps. Rides the primary key. */
export const selectStepHeads = statement<PayloadHead>('selectStepHeads').reads({
  params: {
    wanted: rowset({
      n: ordinal,
      runId: uuid,
      index: int,
      attempt: int,
      part: text.narrow<'input' | 'output'>(),
      characters: int,
    }),
  },
  text: `select ${headColumns}
         from $wanted as w
         join run_step s on s.run_id = w.run_id and s.index = w.index and s.attempt = w.attempt
         cross join lateral (
           select case w.part when 'input' then s.input::text when 'output' then s.output::text end as text offset 0
         ) p
         where p.text is not null`,
});
