export {
  type BatchState,
  type DebounceState,
  type FlowState,
  readFlowState,
  type ScopeState,
  type ThrottleState,
} from './flowState.ts';
