import { instant, statement, uuid } from '../../db/index.ts';
import { isUnlimited } from '../../flow/policies/concurrency/index.ts';
import { type ClaimedRow, leasing } from './leasing.ts';

/**
 * As `claimWork`, for one run that the transaction has locked and woken. L2: takes no run of a lane
 * with a limit.
 */
export const leaseWoken = statement<ClaimedRow>('leaseWoken').writes({
  params: { dispatcherId: uuid, now: instant, runId: uuid },
  text: leasing(`
      select w.ctid as version from me cross join run_work w
      where w.run_id = $runId and w.state = 'ready' and ${isUnlimited('w.lane_id')}
    `),
});
