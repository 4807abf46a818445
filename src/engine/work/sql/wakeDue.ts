import { bigint, instant, statement } from '../../db/index.ts';
import { type WokenRow, wakingColumnsSql, wakingSql } from './wakingSql.ts';

/**
 * Wakes due parked runs, the longest overdue first; 500 at most. Rides `run_work_due_idx`. The
 * outer limit is for the planner. Without it, the planner expects `limit $limit` to be a tenth of
 * all parked runs, and would scan whole tables.
 */
export const wakeDue = statement<WokenRow>('wakeDue').writes({
  params: { limit: bigint, now: instant },
  text: wakingSql(`
      select * from (
        select ${wakingColumnsSql} from run_work
        where state in ('parked', 'stranded') and state = 'parked' and due_at is not null
          and due_at <= $now and owed_turn is null
        order by due_at limit $limit
        for update skip locked
      ) first limit 500
    `),
});
