import { instant, statement, uuid } from '../../db/index.ts';
import { endLeasesSql, type FreedRow, freedRowsSql } from '../../work/index.ts';

/**
 * Frees the runs that are still leased to a dispatcher, and deletes its row. The caller has locked
 * the row (`lockDispatcher`).
 */
export const removeDispatcher = statement<FreedRow>('removeDispatcher').writes({
  params: { id: uuid, now: instant },
  text: `
    with gone as (delete from dispatcher where id = $id),
    orphan as (select run_id from run_work where lease_id = $id order by run_id for update),
    silenced as (update runner set connected = false, dispatcher_id = null where dispatcher_id = $id),${endLeasesSql}
    ${freedRowsSql}
  `,
});
