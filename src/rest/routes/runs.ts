import { logLevels } from '@holdfast/sdk/protocol';
import { pageSizes } from '../../engine/paging/index.ts';
import { runSorts, runStatuses, runStatusFilters, sortDirections, triggerKinds } from '../../engine/runs/index.ts';
import { longestWaitMs } from '../../engine/timeline/index.ts';
import { nextCursorHeader } from '../declare/answer.ts';
import {
  cursor,
  flag,
  flagOrAbsent,
  oneOf,
  pageSize,
  sequence,
  someOf,
  tagFilters,
  text,
  timestamp,
} from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';
import { inferenceLane } from './flowState.ts';

export const errorDetail = /* GraphQL */ `
  fragment ErrorDetail on ErrorDetail { name message stack }`;

export const runLog = /* GraphQL */ `
  fragment RunLog on RunLog { seq ts level message fields scope attempt }`;

/** The fields of a run in lists and controls (2.4). */
export const runSummary = /* GraphQL */ `
  fragment RunSummary on Run {
    id app workflow version status triggerKind eventName eventId session runner
    replayOf parentRunId parentStep parentAttempt depth onFailureOf tags attempt
    pausedBy { reason actor }
    waitingFor { kind until step error { ...ErrorDetail } }
    error { ...ErrorDetail }
    createdAt startAt expiresAt startedAt endedAt durationMs
  }
  ${errorDetail}`;

/** 4.4 */
export const listRuns = documentRoute({
  method: 'GET',
  path: '/runs',
  scope: 'read',
  group: 'runs',
  summary: 'A page of runs',
  parameters: {
    app: text('Only runs of this app.'),
    workflow: text('Only runs of this workflow.'),
    status: oneOf(runStatusFilters, 'Only runs of this status; `active` is queued, running and waiting.'),
    statuses: someOf(runStatuses, 'Only runs of one of these statuses.'),
    runType: oneOf(triggerKinds, 'Only runs of this trigger kind.'),
    eventId: text('Only runs that this event started, alone or in a batch.'),
    dedupeId: text('Only runs that an event or a manual trigger with this `dedupeId` started.'),
    replayOf: text('Only runs forked from this run.'),
    parentRunId: text('Only direct children of this run.'),
    rootOnly: flag('Leave out the children of other runs.'),
    isReplayed: flagOrAbsent('Only runs that were replayed or retried from a step; `0`: only others.'),
    bulkId: text('Only runs that this bulk call made by replay, or cancelled.'),
    version: text('Only runs that started with this version of the definition.'),
    errorGroup: text('Only failed runs with errors of this group.'),
    session: text('Only runs of this session. The id of a run without a session selects that run.'),
    tag: tagFilters,
    q: text('Search text: part of a workflow’s name, a run’s id or an app.'),
    deep: flag('Also search input, result and error for `q`.'),
    since: timestamp('Only runs created at or after this time.'),
    until: timestamp('Only runs created before this time.'),
    endedSince: timestamp('Only runs that ended at or after this time.'),
    sort: oneOf(runSorts, 'The sort key; `started` when absent.'),
    dir: oneOf(sortDirections, 'The sort direction; `desc` when absent.'),
    limit: pageSize(pageSizes.runs),
    cursor: cursor(
      `The end of the previous page: its ${nextCursorHeader}. Valid with the same \`sort\` and \`dir\` only.`,
    ),
  },
  document: /* GraphQL */ `
    query ListRuns($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {
      runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {
        nodes { ...RunSummary }
        pageInfo { hasNextPage endCursor }
      }
    }
    ${runSummary}`,
  variables: ({ query: { limit, cursor, sort, dir, tag, deep, rootOnly, ...filter } }) => ({
    first: limit,
    after: cursor,
    sort,
    dir,
    filter: { ...filter, ...(tag.length > 0 && { tags: tag }), ...(deep && { deep }), ...(rootOnly && { rootOnly }) },
  }),
  success: { status: 200, at: ['runs', 'nodes'], page: ['runs', 'pageInfo'] },
});

/** 4.4 */
export const getRun = documentRoute({
  method: 'GET',
  path: '/runs/{id}',
  scope: 'read',
  group: 'runs',
  summary: 'Get a run, with input and result',
  parameters: { wait: sequence('Wait until the run has ended, at most this many milliseconds, up to 30000.') },
  document: /* GraphQL */ `
    query GetRun($id: ID!, $waitMs: Int, $input: Boolean = true, $result: Boolean = true) {
      run(id: $id, waitMs: $waitMs) {
        ...RunSummary
        waitingFor { kind until step error { ...ErrorDetail } inference { ...InferenceLaneState } }
        input @include(if: $input) result @include(if: $result) stepCount
      }
    }
    ${runSummary}
    ${inferenceLane}`,
  variables: ({ path, query }) => ({ id: path.id, waitMs: Math.min(query.wait ?? 0, longestWaitMs) }),
  success: { status: 200, at: ['run'], name: 'Run', missing: 'run not found' },
});

/** 2.5 */
export const listSteps = documentRoute({
  method: 'GET',
  path: '/runs/{id}/steps',
  scope: 'read',
  group: 'runs',
  summary: 'List every attempt of every step, by index and attempt',
  document: /* GraphQL */ `
    query ListSteps(
      $id: ID!, $first: Int = 1000, $after: String, $name: String, $index: Int,
      $input: Boolean = true, $output: Boolean = true, $ai: Boolean = true, $error: Boolean = true
    ) {
      run(id: $id) {
        stepPage(first: $first, after: $after, name: $name, index: $index) {
          nodes { ...Step }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
    fragment Step on RunStep {
      name index attempt status input @include(if: $input) output @include(if: $output)
      error @include(if: $error) { ...ErrorDetail }
      ai @include(if: $ai) runAfter willRetry nextAttemptAt eventName childRunId startedAt endedAt durationMs
    }
    ${errorDetail}`,
  variables: ({ path }) => ({ id: path.id }),
  success: {
    status: 200,
    at: ['run', 'stepPage', 'nodes'],
    page: ['run', 'stepPage', 'pageInfo'],
    whole: true,
    missing: 'run not found',
  },
});

/** 2.6 */
export const listLogs = documentRoute({
  method: 'GET',
  path: '/runs/{id}/logs',
  scope: 'read',
  group: 'runs',
  summary: 'List log lines, oldest first',
  parameters: {
    from: sequence('Answer only lines after this `seq`.'),
    levels: someOf(logLevels, 'Only lines of one of these levels.'),
    scope: text('Only lines of this step; `@root`: only those of the handler itself.'),
    q: text('Only lines with this text in their message or fields. Case does not count.'),
    limit: pageSize(),
  },
  document: /* GraphQL */ `
    query ListLogs($id: ID!, $from: Int, $limit: Int, $levels: [LogLevel!], $scope: String, $q: String) {
      run(id: $id) {
        logPage(from: $from, limit: $limit, levels: $levels, scope: $scope, q: $q) { nodes { ...RunLog } nextFrom }
      }
    }
    ${runLog}`,
  variables: ({ path, query }) => ({ id: path.id, ...query }),
  success: {
    status: 200,
    at: ['run', 'logPage', 'nodes'],
    nextFrom: ['run', 'logPage', 'nextFrom'],
    missing: 'run not found',
  },
});
