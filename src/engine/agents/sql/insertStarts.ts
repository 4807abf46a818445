import { rowset, statement, text, uuid } from '../../db/index.ts';

/** Records which keys started runs as agents. */
export const insertStarts = statement<Record<string, never>>('insertStarts').writes({
  params: { starts: rowset({ runId: uuid, key: text }) },
  text: `
    insert into agent_start (run_id, key)
    select run_id, key from $starts as s
    on conflict do nothing
  `,
});
