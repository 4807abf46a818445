import { instant, int, statement, uuid } from '../../db/index.ts';
import { endLeasesSql, type FreedRow, freedRowsSql } from './endLeasesSql.ts';

/**
 * Hands leased runs back, unexecuted: whoever claims next takes them where they stand in the queue.
 */
export const releaseLeases = statement<FreedRow>('releaseLeases').writes({
  params: {
    dispatcherId: uuid,
    runIds: uuid.list,
    /** Of each, the only lease that is meant; null: whichever the dispatcher has. */
    claimNos: int.list.orNull,
    now: instant,
  },
  text: `
    with orphan as (
      select run_id from run_work
      where lease_id = $dispatcherId and run_id = any($runIds)
        and ($claimNos is null or claim_no = ($claimNos)[array_position($runIds, run_id)])
      order by run_id for update
    ),${endLeasesSql}
    ${freedRowsSql}
  `,
});
