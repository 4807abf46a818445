import { statement } from '../../db/statement.ts';
import { type FreedRow, freedRows, givingUp } from './givingUp.ts';

interface Params {
  dispatcherId: string;
  /** Only these, or, when `except`, all but these. */
  runIds: readonly string[];
  except: boolean;
  now: Date | null;
}

/** Hands leased runs back, unexecuted: whoever claims next takes them where they stand in the queue. */
export const releaseLeases = statement<Params, FreedRow>({
  name: 'releaseLeases',
  writes: true,
  text: `
    with orphan as (
      select run_id from run_work
      where lease_id = $1 and (run_id = any($2::uuid[])) <> $3::bool
      order by run_id for update
    ),${givingUp('$4')}
    ${freedRows}
  `,
  values: ({ dispatcherId, runIds, except, now }) => [dispatcherId, runIds, except, now],
});
