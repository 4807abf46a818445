export { type CeilingState, concurrency, readCeiling, slotOf } from './concurrency.ts';
export { openGates, openGatesSoon, sweepAfterMs, sweepGates, sweepStart } from './openGates.ts';
export { ceilingLock, concurrencyLimit, hasGated, isUnlimited, promisedRuns } from './sql/limits.ts';
