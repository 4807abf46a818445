import { statement } from '../../db/statement.ts';
import { type WokenRow, waking } from './waking.ts';

/** Wakes parked runs whose time has come, the longest overdue first. Rides `run_work_due_idx`. */
export const wakeDue = statement<{ limit: number; now: Date | null }, WokenRow>({
  name: 'wakeDue',
  writes: true,
  text: waking(`
      select run_id, lane_id, seq from run_work
      where state in ('parked', 'stranded') and state = 'parked' and due_at is not null
        and due_at <= coalesce($2::timestamptz, now())
      order by due_at limit $1
      for update skip locked
    `),
  values: ({ limit, now }) => [limit, now],
});
