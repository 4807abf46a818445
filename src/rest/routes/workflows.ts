import { policyNames, policyOf } from '../../engine/flow/policies/index.ts';
import { optionalText, payload, tags, timing } from '../declare/fields.ts';
import { documentRoute } from '../declare/route.ts';
import { selectionOf } from './flowState.ts';

const definition = /* GraphQL */ `
    fragment Workflow on Workflow {
      name app maxAttempts backoff
      triggers { event if cron }
      scheduled
      schedules { cron nextFireAt lastFiredAt lastRefusedAt isStale }
      flowControl { ${policyNames.map((name) => `${name} ${selectionOf(policyOf(name).settings)}`).join(' ')} }
      steps { name description hidden }
      maxDuration
      cancelOn { event if }
      onFailure version registeredAt updatedAt retiredAt retiredBy
    }`;

/** 4.2 */
export const listWorkflows = documentRoute({
  method: 'GET',
  path: '/workflows',
  scope: 'read',
  group: 'workflows',
  summary: 'All registered workflow definitions',
  document: /* GraphQL */ `
    query ListWorkflows($app: String, $first: Int, $after: String) {
      workflowPage(app: $app, first: $first, after: $after) { nodes { ...Workflow } pageInfo { hasNextPage endCursor } }
    }
    ${definition}`,
  success: { status: 200, at: ['workflowPage', 'nodes'], page: ['workflowPage', 'pageInfo'], whole: true },
});

/** 4.2. The run is created, not executed. */
export const triggerWorkflow = documentRoute({
  method: 'POST',
  path: '/workflows/{app}/{name}/trigger',
  scope: 'write',
  group: 'workflows',
  summary: 'Start one run of a workflow, whatever its triggers are',
  body: {
    required: false,
    fields: {
      input: payload('What the handler reads as the event’s data; an empty object when left out.'),
      eventName: optionalText('A label for the run; the workflow’s name when left out. It fires no event.'),
      dedupeId: optionalText('A repeat for the same workflow within 24 hours starts nothing.'),
      runner: optionalText('The id of the one runner that may execute the run.'),
      tags,
      ...timing,
    },
  },
  document: /* GraphQL */ `
    mutation TriggerWorkflow($input: TriggerWorkflowInput!) {
      triggerWorkflow(input: $input) { ...TriggerAnswer }
    }
    fragment TriggerAnswer on TriggerWorkflowPayload {
      workflow app runId existingRunId eventName skipped dropped debounced batched deduped
    }`,
  variables: ({ path, body }) => ({ input: { ...body, app: path.app, name: path.name } }),
  success: { status: 202, at: ['triggerWorkflow'] },
  failures: [404, 502],
});

/** R3. Answers the workflow. */
export const retireWorkflow = documentRoute({
  method: 'POST',
  path: '/workflows/{app}/{name}/retire',
  scope: 'write',
  group: 'workflows',
  summary: 'Retire a workflow, so that its events and schedules start no run',
  document: /* GraphQL */ `
    mutation RetireWorkflow($input: RetireWorkflowInput!) {
      retireWorkflow(input: $input) { workflow { ...Workflow } }
    }
    ${definition}`,
  variables: ({ path }) => ({ input: { app: path.app, name: path.name } }),
  success: { status: 200, at: ['retireWorkflow', 'workflow'] },
  failures: [404],
});

/** R3. Answers the workflow. */
export const restoreWorkflow = documentRoute({
  method: 'POST',
  path: '/workflows/{app}/{name}/restore',
  scope: 'write',
  group: 'workflows',
  summary: 'Restore a retired workflow',
  document: /* GraphQL */ `
    mutation RestoreWorkflow($input: RestoreWorkflowInput!) {
      restoreWorkflow(input: $input) { workflow { ...Workflow } }
    }
    ${definition}`,
  variables: ({ path }) => ({ input: { app: path.app, name: path.name } }),
  success: { status: 200, at: ['restoreWorkflow', 'workflow'] },
  failures: [404],
});
