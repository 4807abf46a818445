import { instant, statement, uuid } from '../../db/index.ts';
import { endLeasesSql, type FreedRow, freedRowsSql } from '../../work/index.ts';

/**
 * Takes leave: frees whatever is still leased to the dispatcher and forgets it. The caller has
 * locked it (`lockDispatcher`).
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
