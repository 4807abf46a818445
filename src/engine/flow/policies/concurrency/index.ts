export { type CeilingState, concurrency, readCeiling, slotOf } from './concurrency.ts';
export {
  type Gateways,
  openGates,
  openGatesSoon,
  type Swept,
  sweepAfterMs,
  sweepGates,
  sweepStart,
} from './openGates.ts';
export { ceilingLock, concurrencyLimit, hasGated, isUnlimited, promisedRuns } from './sql/limits.ts';
