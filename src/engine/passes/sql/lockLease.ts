import { statement } from '../../db/index.ts';

interface Params {
  runId: string;
  dispatcherId: string;
  claimNo: number;
}

/** Locks a run that is still leased under this claim, first of all in its transaction. No row: the lease is lost. */
export const lockLease = statement<Params, { run_id: string }>({
  name: 'lockLease',
  writes: false,
  text: `
    select run_id from run_work
    where run_id = $1 and lease_id = $2 and claim_no = $3 and state = 'leased'
    for update
  `,
  values: ({ runId, dispatcherId, claimNo }) => [runId, dispatcherId, claimNo],
});
