export {
  type Gates,
  gatesOf,
  type Origin,
  type Place,
  type QueueShape,
  type Rate,
  type Scoped,
  shapeOf,
  slotOf,
} from './gates.ts';
export { digestOf, KeyedPayload, keyOfScope, type ScopeKey, wholeWorkflow } from './scope.ts';
export { advanceRates, type RateRequest, type RateRow } from './sql/advanceRates.ts';
export { hasGated } from './sql/hasGated.ts';
