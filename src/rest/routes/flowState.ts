import { shownFields, titled } from '../../engine/flow/index.ts';
import { policyStates } from '../../engine/flow/policies/index.ts';
import { text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

/** All fields of a policy, or of a row of its state. */
export const selectionOf = (shown: Parameters<typeof shownFields>[0]): string =>
  `{ ${shownFields(shown)
    .map(({ name }) => name)
    .join(' ')} }`;

const lists = policyStates.map(({ field, row }) => ({ field, type: titled(row).title, selection: selectionOf(row) }));

/** The calls of one model under one key. */
export const inferenceLane = /* GraphQL */ `
  fragment InferenceLaneState on InferenceLaneState {
    provider model keyFrom inFlight limit waiting heldUntil heldFor
  }`;

/** 4.9 */
export const getFlowState = documentRoute({
  method: 'GET',
  path: '/flow-state',
  scope: 'read',
  group: 'workflows',
  summary: 'What flow control holds back now: slots, buffers, delayed starts, budgets',
  parameters: { workflow: text('Only workflows of this name.'), app: text('Only workflows of this app.') },
  document: /* GraphQL */ `
    query GetFlowState($workflow: String, $app: String) {
      flowState(workflow: $workflow, app: $app) { ...FlowState }
    }
    fragment FlowState on FlowState {
      concurrency { ...FlowCeilingState }
      inference { ...InferenceLaneState }
      ${lists.map(({ field, type }) => `${field} { ...${type} }`).join(' ')}
    }
    ${inferenceLane}
    fragment FlowCeilingState on FlowCeilingState { limit inUse }
    ${lists.map(({ type, selection }) => `fragment ${type} on ${type} ${selection}`).join(' ')}`,
  variables: ({ query }) => query,
  success: { status: 200, at: ['flowState'] },
});
