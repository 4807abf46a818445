import { instant, int, statement, uuid } from '../../db/index.ts';
import { endLeasesSql, type FreedRow, freedRowsSql } from './endLeasesSql.ts';

/**
 * Releases leased runs that were not executed. The next claim takes them at their queue positions.
 */
export const releaseLeases = statement<FreedRow>('releaseLeases').writes({
  params: {
    dispatcherId: uuid,
    runIds: uuid.list,
    /** For each run the only lease to release; null: any that the dispatcher has. */
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
