import { instant, statement, uuid } from '../../db/index.ts';
import { hasOthersSql } from './processSql.ts';

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
      exists (select from inference_call where lease_id is null and paused_at is null and due_at <= $now) as is_due,
      (extract(epoch from (
        select min(due_at) from inference_call where lease_id is null and paused_at is null and due_at > $now
      ) - $now) * 1000)::float8 as next_in_ms,
      ${hasOthersSql('$processId')} as has_others
  `,
});
