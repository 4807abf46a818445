import { bulkCeiling } from '../../engine/control/index.ts';
import { runStatuses, runStatusFilters, triggerKinds } from '../../engine/runs/index.ts';
import {
  narrowed,
  optionalInstant,
  optionalText,
  optionalTexts,
  optionalWord,
  optionalWords,
  payload,
  requiredText,
  tags,
} from '../declare/fields.ts';
import { documentRoute } from '../declare/route.ts';
import { runSummary } from './runs.ts';

/** 4.6 */
export const cancelRun = documentRoute({
  method: 'POST',
  path: '/runs/{id}/cancel',
  scope: 'write',
  group: 'runs',
  summary: 'Cancel an unfinished run, with its unfinished children',
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
  summary: 'Pause a run before its next step; a paused run stays paused',
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
  summary: 'Resume a paused run',
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
  summary: 'Replay an ended run from the start, as a new run',
  body: {
    required: false,
    fields: { input: payload('The input of the new run; the input of the old one when absent.') },
  },
  document: /* GraphQL */ `
    mutation ReplayRun($input: ReplayRunInput!) { replayRun(input: $input) { run { ...RunSummary } } }
    ${runSummary}`,
  variables: ({ path, body: { input } }) => ({ input: { runId: path.id, input } }),
  success: { status: 200, at: ['replayRun', 'run'] },
  failures: [404, 409],
});

/** 4.6. Answers the new run. A missing run is reported before a missing step. */
export const retryRunFromStep = documentRoute({
  method: 'POST',
  path: '/runs/{id}/retry-from-step',
  scope: 'write',
  group: 'runs',
  summary: 'Retry an ended run from a step, as a new run that keeps the earlier results',
  body: {
    required: false,
    fields: { step: { ...requiredText('The name of the first step to execute again.'), read: optionalText('').read } },
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
  app: optionalText('Only runs of this app.'),
  workflow: optionalText('Only runs of this workflow.'),
  status: optionalWord(runStatusFilters, 'Only runs of this status; `active` is queued, running and waiting.'),
  statuses: optionalWords(runStatuses, 'Only runs of one of these statuses.'),
  runIds: narrowed(optionalTexts('Only these runs: 1 to 1000 ids.'), { minItems: 1, maxItems: bulkCeiling }),
  runType: optionalWord(triggerKinds, 'Only runs of this trigger kind.'),
  errorGroup: optionalText('Only failed runs with errors of this group.'),
  dedupeId: optionalText('Only runs that an event or a manual trigger with this `dedupeId` started.'),
  since: optionalInstant('Only runs created at or after this time.'),
  until: optionalInstant('Only runs created before this time.'),
  endedSince: optionalInstant('Only runs that ended at or after this time.'),
};

/** 4.6 */
export const bulkReplayRuns = documentRoute({
  method: 'POST',
  path: '/runs/bulk-replay',
  scope: 'write',
  group: 'runs',
  summary: 'Replay the newest matching ended runs, at most 1000; at least one filter is required',
  body: { required: true, minFields: 1, fields: filters },
  document: /* GraphQL */ `
    mutation BulkReplayRuns($input: BulkReplayRunsInput!) {
      bulkReplayRuns(input: $input) { ...BulkReplay }
    }
    fragment BulkReplay on BulkReplayRunsPayload { id matched replayed skipped failed capped failures { reason count } }`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 200, at: ['bulkReplayRuns'] },
});

/** 4.6 */
export const bulkCancelRuns = documentRoute({
  method: 'POST',
  path: '/runs/bulk-cancel',
  scope: 'write',
  group: 'runs',
  summary: 'Cancel the newest matching unfinished runs, at most 1000; at least one filter is required',
  body: { required: true, minFields: 1, fields: { ...filters, tags } },
  document: /* GraphQL */ `
    mutation BulkCancelRuns($input: BulkCancelRunsInput!) {
      bulkCancelRuns(input: $input) { ...BulkCancel }
    }
    fragment BulkCancel on BulkCancelRunsPayload { id matched cancelled skipped failed capped failures { reason count } }`,
  variables: ({ body }) => ({ input: body }),
  success: { status: 200, at: ['bulkCancelRuns'] },
});
