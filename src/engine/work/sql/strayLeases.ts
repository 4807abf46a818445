import { statement } from '../../db/index.ts';

interface Params {
  dispatcherId: string;
  /** Runs that the dispatcher knows of. */
  known: readonly string[];
  limit: number;
}

export interface StrayRow {
  run_id: string;
  claim_no: number;
}

/** What is leased to a dispatcher beside what it knows of. Along `run_work_lease_idx`: it reads no lease of another. */
export const strayLeases = statement<Params, StrayRow>({
  name: 'strayLeases',
  writes: false,
  text: `
    select run_id, claim_no from run_work
    where lease_id = $1 and run_id not in (select unnest($2::uuid[]))
    limit $3
  `,
  values: ({ dispatcherId, known, limit }) => [dispatcherId, known, limit],
});
