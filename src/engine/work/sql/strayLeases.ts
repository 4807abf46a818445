import { bigint, statement, uuid } from '../../db/index.ts';

export interface StrayRow {
  runId: string;
  claimNo: number;
}

/**
 * What is leased to a dispatcher beside what it knows of. Along `run_work_lease_idx`: it reads no
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
