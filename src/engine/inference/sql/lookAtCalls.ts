import { instant, statement, uuid } from '../../db/index.ts';
import { hasOthersSql } from './processSql.ts';
import { firstDueSql } from './waitingSql.ts';

interface Row {
  isDue: boolean;
  nextInMs: number | null;
  hasOthers: boolean;
}

/** All that a process asks before it claims, in one read. Each part is a look at an index. */
export const lookAtCalls = statement<Row>('lookAtCalls').reads({
  params: { now: instant, processId: uuid },
  text: `
    select
      coalesce(${firstDueSql()} <= $now, false) as is_due,
      (extract(epoch from ${firstDueSql('and due_at > $now')} - $now) * 1000)::float8 as next_in_ms,
      ${hasOthersSql('$processId')} as has_others
  `,
});
