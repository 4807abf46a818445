import { statement } from '../../db/statement.ts';
import { givingUp } from './givingUp.ts';

interface Params {
  dispatcherId: string;
  /** Only these, or, when `except`, all but these. */
  runIds: readonly string[];
  except: boolean;
  now: Date | null;
}

/** Hands leased runs back, unexecuted: whoever claims next takes them where they stand in the queue. Answers the lanes. */
export const releaseLeases = statement<Params, { lane_id: number }>({
  name: 'releaseLeases',
  writes: true,
  text: `
    with orphan as (
      select run_id from run_work
      where lease_id = $1 and (run_id = any($2::uuid[])) <> $3::bool
      order by run_id for update
    ),${givingUp('$4')}
    select lane_id from freed where state = 'ready'
  `,
  values: ({ dispatcherId, runIds, except, now }) => [dispatcherId, runIds, except, now],
});
