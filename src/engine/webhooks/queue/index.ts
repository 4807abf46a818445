export { beatTimes as senderTimes, Vigil } from '../../vigil.ts';
export {
  type Claim,
  type ClaimedLane,
  claimDeliveries,
  firstLane,
  type LeasedDelivery,
} from './claimDeliveries.ts';
export { disableIfFailing } from './disableEndpoint.ts';
export { forgetLanes } from './forgetLanes.ts';
export { releaseLeases, releaseStrays, rescueDeliveries, retireSender, tickSender, viewQueue } from './senders.ts';
export { type EndedAttempt, type Settlement, settleDeliveries } from './settleDeliveries.ts';
export { countDeliveries, countedDue } from './sql/countDeliveries.ts';
export { probeAfter } from './sql/leaseDeliveries.ts';
export { type DeliveryTally, tallyOf } from './tally.ts';
