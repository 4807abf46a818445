export { forgetRates } from './forgetRates.ts';
export {
  type Gates,
  gatesOf,
  hasKeys,
  type Origin,
  type Place,
  type QueueShape,
  type Rate,
  type Scoped,
  shapeOf,
  slotOf,
} from './gates.ts';
export { nowUs } from './gcra.ts';
export {
  type Gateways,
  openGates,
  openGatesSoon,
  type Swept,
  sweepAfterMs,
  sweepGates,
  sweepStart,
} from './openGates.ts';
export { readTokenBuckets, type TokenBucketState } from './readTokenBuckets.ts';
export { digestOf, KeyedPayload, keyOfScope, type ScopeKey, searchable, wholeWorkflow } from './scope.ts';
export { advanceRates, type RateRequest, type RateRow } from './sql/advanceRates.ts';
export { changePolicies } from './sql/changePolicies.ts';
export { debitTokens } from './sql/debitTokens.ts';
export { type BucketRef, findDrained } from './sql/findDrained.ts';
export { hasGated } from './sql/hasGated.ts';
export { heldUntil } from './sql/heldUntil.ts';
export { keepPolicies } from './sql/keepPolicies.ts';
export { ceilingLock, concurrencyLimit, isUnlimited, promisedRuns } from './sql/limits.ts';
