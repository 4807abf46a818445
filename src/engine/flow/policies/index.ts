export { type BudgetCheck, checkBudgets } from './budget/checkBudgets.ts';
export { countBudgets } from './budget/sql/countBudgets.ts';
export { asDecimal } from './budget/verdict.ts';
export { carryOver, type PolicyChange } from './carryOver.ts';
export { type FlowState, policyStates, readFlowState } from './flowState.ts';
export { contestedKeys, flowOf, hasKeys, holdSteady } from './gates.ts';
export { findExisting } from './idempotency/sql/findExisting.ts';
export { passAll, passFromBuffer, passRecorded, passStart } from './pipeline.ts';
export { isPolicyName, policyNames, policyOf } from './policies.ts';
