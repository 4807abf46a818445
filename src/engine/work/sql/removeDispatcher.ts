import { statement } from '../../db/statement.ts';

/** Takes leave: frees whatever is still leased to the dispatcher and forgets it. */
export const removeDispatcher = statement<{ id: string }, { lane_id: number }>({
  name: 'removeDispatcher',
  writes: true,
  text: `
    with gone as (delete from dispatcher where id = $1),
    mine as (select run_id from run_work where lease_id = $1 order by run_id for update),
    silenced as (update runner set connected = false, dispatcher_id = null where dispatcher_id = $1)
    update run_work w set state = 'ready', lease_id = null, claim_no = w.claim_no + 1
    from mine m where w.run_id = m.run_id
    returning w.lane_id
  `,
  values: ({ id }) => [id],
});
