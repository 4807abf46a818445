import { statement } from '../../db/index.ts';
import { type ClaimedRow, leasing } from './leasing.ts';

interface Params {
  dispatcherId: string;
  runIds: readonly string[];
  now: Date | null;
}

/** What `claimWork` does, for ready runs that the caller has picked and locked in the same transaction. */
export const leaseWork = statement<Params, ClaimedRow>({
  name: 'leaseWork',
  writes: true,
  text: leasing(`
      select w.ctid as version from me cross join run_work w
      where w.run_id = any($3::uuid[]) and w.state = 'ready'
    `),
  values: ({ dispatcherId, runIds, now }) => [dispatcherId, now, runIds],
});
