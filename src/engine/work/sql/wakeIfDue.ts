import { statement } from '../../db/index.ts';
import { type WokenRow, waking, wakingColumns } from './waking.ts';

/** Wakes those of the runs that are parked and whose time has come. */
export const wakeIfDue = statement<{ runIds: readonly string[]; now: Date | null }, WokenRow>({
  name: 'wakeIfDue',
  writes: true,
  text: waking(`
      select ${wakingColumns} from run_work
      where run_id = any($1::uuid[]) and state = 'parked' and due_at <= coalesce($2::timestamptz, now())
      order by run_id
      for update
    `),
  values: ({ runIds, now }) => [runIds, now],
});
