import { int, statement, uuid } from '../../db/index.ts';

/**
 * Locks a run that is still leased under this claim, before anything else in its transaction. No
 * row: the lease is lost.
 */
export const lockLease = statement<{ runId: string }>('lockLease').reads({
  params: { runId: uuid, dispatcherId: uuid, claimNo: int },
  text: `
    select run_id from run_work
    where run_id = $runId and lease_id = $dispatcherId and claim_no = $claimNo and state = 'leased'
    for update
  `,
});
