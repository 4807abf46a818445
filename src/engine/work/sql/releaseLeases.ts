import { statement } from '../../db/index.ts';
import { type FreedRow, freedRows, givingUp } from './givingUp.ts';

interface Params {
  dispatcherId: string;
  runIds: readonly string[];
  /** Of each, the only lease that is meant; null: whichever the dispatcher has. */
  claimNos: readonly number[] | null;
  now: Date | null;
}

/** Hands leased runs back, unexecuted: whoever claims next takes them where they stand in the queue. */
export const releaseLeases = statement<Params, FreedRow>({
  name: 'releaseLeases',
  writes: true,
  text: `
    with orphan as (
      select run_id from run_work
      where lease_id = $1 and run_id = any($2::uuid[])
        and ($3::int[] is null or claim_no = ($3::int[])[array_position($2::uuid[], run_id)])
      order by run_id for update
    ),${givingUp('$4')}
    ${freedRows}
  `,
  values: ({ dispatcherId, runIds, claimNos, now }) => [dispatcherId, runIds, claimNos, now],
});
