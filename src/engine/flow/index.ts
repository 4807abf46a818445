export {
  type BufferedStart,
  type BufferScope,
  groupByScope,
  nameOfScope,
  readStart,
  type ScopeGroup,
  scopeColumns,
} from './buffers.ts';
export {
  cost,
  count,
  durationMs,
  hasLimit,
  key,
  noLimit,
  ofScope,
  ofWorkflow,
  percent,
  rate,
  type ShownField,
  shiftMs,
  shownFields,
  titled,
  tokenCount,
} from './fields.ts';
export type {
  AdmissionTransaction,
  Ask,
  Candidate,
  DedupeKey,
  Gates,
  Origin,
  PlannedStart,
  PolicyName,
  PolicySet,
  PolicySettings,
  QueueShape,
  RecordedStart,
  RecordingTransaction,
  Scoped,
  Seen,
  Stage,
  StartCandidate,
  Withheld,
} from './gate.ts';
export { advanced, nowUs } from './gcra.ts';
export { maxStateRows, type Policy, policyState, type StateQuestion, type WorkflowRef } from './policy.ts';
export { forgetRates, type RateAsk, takeTurns } from './rates.ts';
export { digestOf, KeyedPayload, keyOfScope, type ScopeKey, searchable, wholeWorkflow } from './scope.ts';
export { changePolicies } from './sql/changePolicies.ts';
export { claimKeys, type KeyClaim, orHolder } from './sql/claimKeys.ts';
export { keepPolicies } from './sql/keepPolicies.ts';
export { listBuffers } from './sql/listBuffers.ts';
export { type MovedKey, moveKeys } from './sql/moveKeys.ts';
export type { PaceChange } from './sql/pace.ts';
export { putBufferItems } from './sql/putBufferItems.ts';
export { type RateChange, rescaleRates } from './sql/rescaleRates.ts';
export { type BufferChange, retimeBuffers } from './sql/retimeBuffers.ts';
export { retimeStarts, type StartChange } from './sql/retimeStarts.ts';
