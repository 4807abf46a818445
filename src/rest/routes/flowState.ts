import { text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

/** 4.9 */
export const getFlowState = documentRoute({
  method: 'GET',
  path: '/flow-state',
  scope: 'read',
  group: 'workflows',
  summary: 'What flow control holds back now: slots, buffers, delayed starts, budgets',
  parameters: { workflow: text('Only workflows of this name.') },
  document: /* GraphQL */ `
    query GetFlowState($workflow: String) {
      flowState(workflow: $workflow) { ...FlowState }
    }
    fragment FlowState on FlowState {
      concurrency { ...FlowCeilingState }
      scopes { ...FlowScopeState }
      debounce { ...FlowDebounceState }
      batch { ...FlowBatchState }
      throttle { ...FlowThrottleState }
      tokenThrottle { ...FlowTokenThrottleState }
      budgets { ...FlowBudgetState }
    }
    fragment FlowCeilingState on FlowCeilingState { limit inUse }
    fragment FlowScopeState on FlowScopeState { app workflow key limit inUse waiting }
    fragment FlowDebounceState on FlowDebounceState { app workflow pending nextFireAt }
    fragment FlowBatchState on FlowBatchState { app workflow buffered oldestAt }
    fragment FlowThrottleState on FlowThrottleState { app workflow key delayed nextStartAt }
    fragment FlowTokenThrottleState on FlowTokenThrottleState { app workflow key available nextStartAt }
    fragment FlowBudgetState on FlowBudgetState { app workflow cost tokens maxCost maxTokens windowMs paused }`,
  variables: ({ query }) => query,
  success: { status: 200, at: ['flowState'] },
});
