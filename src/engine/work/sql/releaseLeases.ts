import { statement } from '../../db/statement.ts';

interface Params {
  dispatcherId: string;
  /** Only these, or, when `except`, all but these. */
  runIds: readonly string[];
  except: boolean;
}

/** Hands leased runs back, unexecuted: whoever claims next takes them where they stand in the queue. */
export const releaseLeases = statement<Params, { lane_id: number }>({
  name: 'releaseLeases',
  writes: true,
  text: `
    with mine as (
      select run_id from run_work
      where lease_id = $1 and (run_id = any($2::uuid[])) <> $3::bool
      order by run_id for update
    )
    update run_work w set state = 'ready', lease_id = null, claim_no = w.claim_no + 1
    from mine m where w.run_id = m.run_id and w.lease_id = $1
    returning w.lane_id
  `,
  values: ({ dispatcherId, runIds, except }) => [dispatcherId, runIds, except],
});
