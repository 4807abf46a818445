import { bigint, statement, uuid } from '../../db/index.ts';

export interface StrayRow {
  runId: string;
  claimNo: number;
}

/**
 * The leases of a dispatcher that it does not know. Rides `run_work_lease_idx`, so it reads no
 * lease of another.
 */
export const strayLeases = statement<StrayRow>('strayLeases').reads({
  params: {
    dispatcherId: uuid,
    /** Runs that the dispatcher knows of. */
    known: uuid.list,
    limit: bigint,
  },
  text: `
    select run_id, claim_no from run_work
    where lease_id = $dispatcherId and run_id not in (select unnest($known))
    limit $limit
  `,
});
