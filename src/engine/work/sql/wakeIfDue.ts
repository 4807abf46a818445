import { instant, statement, uuid } from '../../db/index.ts';
import { type WokenRow, wakingColumnsSql, wakingSql } from './wakingSql.ts';

/** Wakes the runs that are parked and due. */
export const wakeIfDue = statement<WokenRow>('wakeIfDue').writes({
  params: { runIds: uuid.list, now: instant },
  text: wakingSql(`
      select ${wakingColumnsSql} from run_work
      where run_id = any($runIds) and state = 'parked' and due_at <= $now and owed_turn is null
      order by run_id
      for update
    `),
});
