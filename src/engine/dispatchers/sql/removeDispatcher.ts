import { statement } from '../../db/index.ts';
import { type FreedRow, freedRows, givingUp } from '../../work/index.ts';

/** Takes leave: frees whatever is still leased to the dispatcher and forgets it. The caller has locked it (`lockDispatcher`). */
export const removeDispatcher = statement<{ id: string; now: Date | null }, FreedRow>({
  name: 'removeDispatcher',
  writes: true,
  text: `
    with gone as (delete from dispatcher where id = $1),
    orphan as (select run_id from run_work where lease_id = $1 order by run_id for update),
    silenced as (update runner set connected = false, dispatcher_id = null where dispatcher_id = $1),${givingUp('$2')}
    ${freedRows}
  `,
  values: ({ id, now }) => [id, now],
});
