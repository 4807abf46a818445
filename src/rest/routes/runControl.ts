import { runStatusFilters, triggerKinds } from '../../engine/runs/index.ts';
import { optionalInstant, optionalText, optionalWord, payload, tags } from '../declare/fields.ts';
import { documentRoute } from '../declare/route.ts';
import { runSummary } from './runs.ts';

/** 4.6 */
export const cancelRun = documentRoute({
  method: 'POST',
  path: '/runs/{id}/cancel',
  scope: 'write',
  group: 'runs',
  summary: 'Cancel a run that has not ended, and its unfinished children',
  document: /* GraphQL */ `
    mutation CancelRun($id: ID!) { cancelRun(input: { runId: $id }) { run { ...RunSummary } } }
    ${runSummary}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['cancelRun', 'run'] },
  failures: [404, 409],
});

/** 4.6 */
export const pauseRun = documentRoute({
  method: 'POST',
  path: '/runs/{id}/pause',
  scope: 'write',
  group: 'runs',
  summary: 'Stop a run before its next step; a paused run stays as it is',
  document: /* GraphQL */ `
    mutation PauseRun($id: ID!) { pauseRun(input: { runId: $id }) { run { ...RunSummary } } }
    ${runSummary}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['pauseRun', 'run'] },
  failures: [404, 409],
});

/** 4.6 */
export const resumeRun = documentRoute({
  method: 'POST',
  path: '/runs/{id}/resume',
  scope: 'write',
  group: 'runs',
  summary: 'Let a paused run go on',
  document: /* GraphQL */ `
    mutation ResumeRun($id: ID!) { resumeRun(input: { runId: $id }) { run { ...RunSummary } } }
    ${runSummary}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['resumeRun', 'run'] },
  failures: [404, 409],
});

/** 4.6. Answers the new run. */
export const replayRun = documentRoute({
  method: 'POST',
  path: '/runs/{id}/replay',
  scope: 'write',
  group: 'runs',
  summary: 'Start a run that has ended over as a new one',
  body: {
    required: false,
    fields: { input: payload('What the new run is given in place of the input of the old one.') },
  },
  document: /* GraphQL */ `
    mutation ReplayRun($input: ReplayRunInput!) { replayRun(input: $input) { run { ...RunSummary } } }
    ${runSummary}`,
  variables: ({ path, body: { input } }) => ({ input: { runId: path.id, input } }),
  success: { status: 200, at: ['replayRun', 'run'] },
  failures: [404, 409],
});

/** 4.6. Answers the new run. A run that does not exist is said before a step that was not named. */
export const retryRunFromStep = documentRoute({
  method: 'POST',
  path: '/runs/{id}/retry-from-step',
  scope: 'write',
  group: 'runs',
  summary: 'Start a run that has ended over as a new one, with the results of the steps before one of them',
  body: {
    required: false,
    fields: { step: { ...optionalText('The name of the first step to be executed again.'), required: true } },
  },
  document: /* GraphQL */ `
    mutation RetryRunFromStep($input: RetryRunFromStepInput!) {
      retryRunFromStep(input: $input) { run { ...RunSummary } }
    }
    ${runSummary}`,
  variables: ({ path, body: { step = '' } }) => ({ input: { runId: path.id, step } }),
  success: { status: 200, at: ['retryRunFromStep', 'run'] },
  failures: [404, 409],
});

const filters = {
  app: optionalText('Runs of one app.'),
  workflow: optionalText('Runs of one workflow.'),
  status: optionalWord(runStatusFilters, 'One status; `active` is queued, running and waiting.'),
  runType: optionalWord(triggerKinds, 'How the run was started.'),
  since: optionalInstant('Runs created at or after this instant.'),
};

/** 4.6 */
export const bulkReplayRuns = documentRoute({
  method: 'POST',
  path: '/runs/bulk-replay',
  scope: 'write',
  group: 'runs',
  summary: 'Start the newest ended runs of a selection over, at most 1000; at least one filter must be given',
  body: { required: true, fields: filters },
  document: /* GraphQL */ `
    mutation BulkReplayRuns($input: BulkReplayRunsInput!) {
      bulkReplayRuns(input: $input) { ...BulkReplay }
    }
    fragment BulkReplay on BulkReplayRunsPayload { matched replayed skipped failed capped }`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 200, at: ['bulkReplayRuns'] },
});

/** 4.6 */
export const bulkCancelRuns = documentRoute({
  method: 'POST',
  path: '/runs/bulk-cancel',
  scope: 'write',
  group: 'runs',
  summary: 'Cancel the newest unfinished runs of a selection, at most 1000; at least one filter must be given',
  body: { required: true, fields: { ...filters, tags } },
  document: /* GraphQL */ `
    mutation BulkCancelRuns($input: BulkCancelRunsInput!) {
      bulkCancelRuns(input: $input) { ...BulkCancel }
    }
    fragment BulkCancel on BulkCancelRunsPayload { matched cancelled skipped failed capped }`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 200, at: ['bulkCancelRuns'] },
});
