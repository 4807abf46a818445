import { statement } from '../../db/index.ts';
import { type WokenRow, waking, wakingColumns } from './waking.ts';

/**
 * Wakes parked runs whose time has come, the longest overdue first; 500 at most. Rides `run_work_due_idx`. The outer limit is for
 * the planner: it takes `limit $1` for a tenth of all sleepers, and would join so much by scanning whole tables.
 */
export const wakeDue = statement<{ limit: number; now: Date | null }, WokenRow>({
  name: 'wakeDue',
  writes: true,
  text: waking(`
      select * from (
        select ${wakingColumns} from run_work
        where state in ('parked', 'stranded') and state = 'parked' and due_at is not null
          and due_at <= coalesce($2::timestamptz, now())
        order by due_at limit $1
        for update skip locked
      ) first limit 500
    `),
  values: ({ limit, now }) => [limit, now],
});
