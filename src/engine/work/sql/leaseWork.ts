import { instant, statement, uuid } from '../../db/index.ts';
import { type ClaimedRow, leasing } from './leasing.ts';

/** L2. As `claimWork`, for ready runs that the caller has picked and locked in its transaction. */
export const leaseWork = statement<ClaimedRow>('leaseWork').writes({
  params: { dispatcherId: uuid, now: instant, runIds: uuid.list },
  text: leasing(`
      select w.ctid as version from me cross join run_work w
      where w.run_id = any($runIds) and w.state = 'ready'
    `),
});
