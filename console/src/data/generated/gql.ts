/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query SwitchableProjects {\n    projects(limit: 200) {\n      id\n      name\n      suspended\n    }\n  }\n": typeof types.SwitchableProjectsDocument,
    "\n  query FindById($id: ID!) {\n    run(id: $id) {\n      id\n      app\n      workflow\n      status\n    }\n    event(id: $id) {\n      id\n      name\n      app\n    }\n    approval(id: $id) {\n      id\n      tool\n      status\n    }\n    webhookDelivery(id: $id) {\n      id\n      url\n    }\n    webhookSourceDelivery(id: $id) {\n      id\n    }\n  }\n": typeof types.FindByIdDocument,
    "\n  query FindWorkflows {\n    workflowPage(first: 200) {\n      nodes {\n        app\n        name\n      }\n    }\n  }\n": typeof types.FindWorkflowsDocument,
    "\n  query BulkReplayPreview($input: BulkReplayRunsInput!) {\n    preview: bulkReplayPreview(input: $input) {\n      ...BulkPreviewFields\n    }\n  }\n  fragment BulkPreviewFields on BulkPreview {\n    count\n    matched\n    skipped\n    capped\n    until\n    byStatus {\n      queued\n      running\n      waiting\n      paused\n      needsAttention\n      succeeded\n      failed\n      cancelled\n    }\n    sample {\n      id\n      workflow\n      status\n      createdAt\n    }\n  }\n": typeof types.BulkReplayPreviewDocument,
    "\n  query BulkCancelPreview($input: BulkCancelRunsInput!) {\n    preview: bulkCancelPreview(input: $input) {\n      count\n      matched\n      skipped\n      capped\n      until\n      byStatus {\n        queued\n        running\n        waiting\n        paused\n        needsAttention\n        succeeded\n        failed\n        cancelled\n      }\n      sample {\n        id\n        workflow\n        status\n        createdAt\n      }\n    }\n  }\n": typeof types.BulkCancelPreviewDocument,
    "\n  mutation BulkReplay($input: BulkReplayRunsInput!) {\n    done: bulkReplayRuns(input: $input) {\n      id\n      count: replayed\n      matched\n      skipped\n      failed\n      capped\n    }\n  }\n": typeof types.BulkReplayDocument,
    "\n  mutation BulkCancel($input: BulkCancelRunsInput!) {\n    done: bulkCancelRuns(input: $input) {\n      id\n      count: cancelled\n      matched\n      skipped\n      failed\n      capped\n    }\n  }\n": typeof types.BulkCancelDocument,
    "\n  query Runs($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {\n    runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {\n      nodes {\n        id\n        app\n        workflow\n        version\n        status\n        createdAt\n        startedAt\n        endedAt\n        durationMs\n        attempt\n        tags\n        error {\n          name\n          message\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.RunsDocument,
    "\n  subscription RunStatusChanged($app: String, $workflow: String) {\n    runStatusChanged(app: $app, workflow: $workflow) {\n      runId\n      status\n      ts\n    }\n  }\n": typeof types.RunStatusChangedDocument,
    "\n  query KnownWorkflows {\n    workflowPage(first: 200) {\n      nodes {\n        app\n        name\n      }\n    }\n  }\n": typeof types.KnownWorkflowsDocument,
    "\n  query Viewer {\n    viewer {\n      kind\n      name\n      actor\n      project {\n        id\n        name\n        suspended\n      }\n    }\n  }\n": typeof types.ViewerDocument,
};
const documents: Documents = {
    "\n  query SwitchableProjects {\n    projects(limit: 200) {\n      id\n      name\n      suspended\n    }\n  }\n": types.SwitchableProjectsDocument,
    "\n  query FindById($id: ID!) {\n    run(id: $id) {\n      id\n      app\n      workflow\n      status\n    }\n    event(id: $id) {\n      id\n      name\n      app\n    }\n    approval(id: $id) {\n      id\n      tool\n      status\n    }\n    webhookDelivery(id: $id) {\n      id\n      url\n    }\n    webhookSourceDelivery(id: $id) {\n      id\n    }\n  }\n": types.FindByIdDocument,
    "\n  query FindWorkflows {\n    workflowPage(first: 200) {\n      nodes {\n        app\n        name\n      }\n    }\n  }\n": types.FindWorkflowsDocument,
    "\n  query BulkReplayPreview($input: BulkReplayRunsInput!) {\n    preview: bulkReplayPreview(input: $input) {\n      ...BulkPreviewFields\n    }\n  }\n  fragment BulkPreviewFields on BulkPreview {\n    count\n    matched\n    skipped\n    capped\n    until\n    byStatus {\n      queued\n      running\n      waiting\n      paused\n      needsAttention\n      succeeded\n      failed\n      cancelled\n    }\n    sample {\n      id\n      workflow\n      status\n      createdAt\n    }\n  }\n": types.BulkReplayPreviewDocument,
    "\n  query BulkCancelPreview($input: BulkCancelRunsInput!) {\n    preview: bulkCancelPreview(input: $input) {\n      count\n      matched\n      skipped\n      capped\n      until\n      byStatus {\n        queued\n        running\n        waiting\n        paused\n        needsAttention\n        succeeded\n        failed\n        cancelled\n      }\n      sample {\n        id\n        workflow\n        status\n        createdAt\n      }\n    }\n  }\n": types.BulkCancelPreviewDocument,
    "\n  mutation BulkReplay($input: BulkReplayRunsInput!) {\n    done: bulkReplayRuns(input: $input) {\n      id\n      count: replayed\n      matched\n      skipped\n      failed\n      capped\n    }\n  }\n": types.BulkReplayDocument,
    "\n  mutation BulkCancel($input: BulkCancelRunsInput!) {\n    done: bulkCancelRuns(input: $input) {\n      id\n      count: cancelled\n      matched\n      skipped\n      failed\n      capped\n    }\n  }\n": types.BulkCancelDocument,
    "\n  query Runs($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {\n    runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {\n      nodes {\n        id\n        app\n        workflow\n        version\n        status\n        createdAt\n        startedAt\n        endedAt\n        durationMs\n        attempt\n        tags\n        error {\n          name\n          message\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.RunsDocument,
    "\n  subscription RunStatusChanged($app: String, $workflow: String) {\n    runStatusChanged(app: $app, workflow: $workflow) {\n      runId\n      status\n      ts\n    }\n  }\n": types.RunStatusChangedDocument,
    "\n  query KnownWorkflows {\n    workflowPage(first: 200) {\n      nodes {\n        app\n        name\n      }\n    }\n  }\n": types.KnownWorkflowsDocument,
    "\n  query Viewer {\n    viewer {\n      kind\n      name\n      actor\n      project {\n        id\n        name\n        suspended\n      }\n    }\n  }\n": types.ViewerDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SwitchableProjects {\n    projects(limit: 200) {\n      id\n      name\n      suspended\n    }\n  }\n"): typeof import('./graphql.ts').SwitchableProjectsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FindById($id: ID!) {\n    run(id: $id) {\n      id\n      app\n      workflow\n      status\n    }\n    event(id: $id) {\n      id\n      name\n      app\n    }\n    approval(id: $id) {\n      id\n      tool\n      status\n    }\n    webhookDelivery(id: $id) {\n      id\n      url\n    }\n    webhookSourceDelivery(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').FindByIdDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FindWorkflows {\n    workflowPage(first: 200) {\n      nodes {\n        app\n        name\n      }\n    }\n  }\n"): typeof import('./graphql.ts').FindWorkflowsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BulkReplayPreview($input: BulkReplayRunsInput!) {\n    preview: bulkReplayPreview(input: $input) {\n      ...BulkPreviewFields\n    }\n  }\n  fragment BulkPreviewFields on BulkPreview {\n    count\n    matched\n    skipped\n    capped\n    until\n    byStatus {\n      queued\n      running\n      waiting\n      paused\n      needsAttention\n      succeeded\n      failed\n      cancelled\n    }\n    sample {\n      id\n      workflow\n      status\n      createdAt\n    }\n  }\n"): typeof import('./graphql.ts').BulkReplayPreviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BulkCancelPreview($input: BulkCancelRunsInput!) {\n    preview: bulkCancelPreview(input: $input) {\n      count\n      matched\n      skipped\n      capped\n      until\n      byStatus {\n        queued\n        running\n        waiting\n        paused\n        needsAttention\n        succeeded\n        failed\n        cancelled\n      }\n      sample {\n        id\n        workflow\n        status\n        createdAt\n      }\n    }\n  }\n"): typeof import('./graphql.ts').BulkCancelPreviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BulkReplay($input: BulkReplayRunsInput!) {\n    done: bulkReplayRuns(input: $input) {\n      id\n      count: replayed\n      matched\n      skipped\n      failed\n      capped\n    }\n  }\n"): typeof import('./graphql.ts').BulkReplayDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BulkCancel($input: BulkCancelRunsInput!) {\n    done: bulkCancelRuns(input: $input) {\n      id\n      count: cancelled\n      matched\n      skipped\n      failed\n      capped\n    }\n  }\n"): typeof import('./graphql.ts').BulkCancelDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Runs($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {\n    runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {\n      nodes {\n        id\n        app\n        workflow\n        version\n        status\n        createdAt\n        startedAt\n        endedAt\n        durationMs\n        attempt\n        tags\n        error {\n          name\n          message\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): typeof import('./graphql.ts').RunsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription RunStatusChanged($app: String, $workflow: String) {\n    runStatusChanged(app: $app, workflow: $workflow) {\n      runId\n      status\n      ts\n    }\n  }\n"): typeof import('./graphql.ts').RunStatusChangedDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KnownWorkflows {\n    workflowPage(first: 200) {\n      nodes {\n        app\n        name\n      }\n    }\n  }\n"): typeof import('./graphql.ts').KnownWorkflowsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer {\n      kind\n      name\n      actor\n      project {\n        id\n        name\n        suspended\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ViewerDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
