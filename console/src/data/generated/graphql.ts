/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** `PENDING` and `ESCALATED` are open. */
export type ApprovalStatus =
  /** A person or the deadline approved it. */
  | 'APPROVED'
  /** The run ended first, or the deadline failed the step. No decision is on record. */
  | 'CANCELLED'
  /** A person or the deadline denied it. */
  | 'DENIED'
  /** The deadline has passed, and it is still open. */
  | 'ESCALATED'
  /** Undecided, and before its deadline. */
  | 'PENDING';

/** A run must match all given fields; at least one is required. */
export type BulkCancelRunsInput = {
  /** Only runs of this app. */
  app?: string | null | undefined;
  /** Only runs that this bulk call made by replay, or cancelled. */
  bulkId?: string | number | null | undefined;
  /** Only runs that an event or a manual trigger with this `dedupeId` started. */
  dedupeId?: string | null | undefined;
  /** Also searches `q` in the text of input, result and error. */
  deep?: boolean | null | undefined;
  /** Only runs that ended at or after this instant. */
  endedSince?: string | null | undefined;
  /** Only failed runs with errors of this group. `failureGroups` names the groups. */
  errorGroup?: string | null | undefined;
  /** Only runs that this event started, alone or in a batch. */
  eventId?: string | number | null | undefined;
  /** Only runs that were replayed or retried from a step; `false`: only others. */
  isReplayed?: boolean | null | undefined;
  /** Only direct children of this run. */
  parentRunId?: string | number | null | undefined;
  /** A part of the workflow, the run id or the app, in upper or lower case. */
  q?: string | null | undefined;
  /** Only replays and retries of this run. */
  replayOf?: string | number | null | undefined;
  /** Leaves out the children of other runs. */
  rootOnly?: boolean | null | undefined;
  /** Only these runs: 1 to 1000 ids. */
  runIds?: Array<string | number> | null | undefined;
  /** Only runs with this kind of start. */
  runType?: TriggerKind | null | undefined;
  /** Only unfinished runs that hold a place of this scope, or wait for one. */
  scope?: ScopeFilter | null | undefined;
  /** Only runs of this session. A run without a session matches by its own id. */
  session?: string | null | undefined;
  /** Only runs created at or after this instant. */
  since?: string | null | undefined;
  /** Only runs of this status, or of the three active ones. */
  status?: RunStatusFilter | null | undefined;
  /** Only runs of one of these statuses. An empty list counts as absent. */
  statuses?: Array<RunStatus> | null | undefined;
  /** Only runs that have all of these tags. */
  tags?: Readonly<Record<string, string>> | null | undefined;
  /** Only runs created before this instant. */
  until?: string | null | undefined;
  /** Only runs that started with this version of the definition. */
  version?: string | null | undefined;
  /** Only runs of workflows with this name. */
  workflow?: string | null | undefined;
};

/** A run must match all given fields; at least one is required. */
export type BulkReplayRunsInput = {
  /** Only runs of this app. */
  app?: string | null | undefined;
  /** Only runs that this bulk call made by replay, or cancelled. */
  bulkId?: string | number | null | undefined;
  /** Only runs that an event or a manual trigger with this `dedupeId` started. */
  dedupeId?: string | null | undefined;
  /** Also searches `q` in the text of input, result and error. */
  deep?: boolean | null | undefined;
  /** Only runs that ended at or after this instant. */
  endedSince?: string | null | undefined;
  /** Only failed runs with errors of this group. `failureGroups` names the groups. */
  errorGroup?: string | null | undefined;
  /** Only runs that this event started, alone or in a batch. */
  eventId?: string | number | null | undefined;
  /** Only runs that were replayed or retried from a step; `false`: only others. */
  isReplayed?: boolean | null | undefined;
  /** Only direct children of this run. */
  parentRunId?: string | number | null | undefined;
  /** A part of the workflow, the run id or the app, in upper or lower case. */
  q?: string | null | undefined;
  /** Only replays and retries of this run. */
  replayOf?: string | number | null | undefined;
  /** Leaves out the children of other runs. */
  rootOnly?: boolean | null | undefined;
  /** Only these runs: 1 to 1000 ids. */
  runIds?: Array<string | number> | null | undefined;
  /** Only runs with this kind of start. */
  runType?: TriggerKind | null | undefined;
  /** Only unfinished runs that hold a place of this scope, or wait for one. */
  scope?: ScopeFilter | null | undefined;
  /** Only runs of this session. A run without a session matches by its own id. */
  session?: string | null | undefined;
  /** Only runs created at or after this instant. */
  since?: string | null | undefined;
  /** Only runs of this status, or of the three active ones. */
  status?: RunStatusFilter | null | undefined;
  /** Only runs of one of these statuses. An empty list counts as absent. */
  statuses?: Array<RunStatus> | null | undefined;
  /** Only runs that have all of these tags. */
  tags?: Readonly<Record<string, string>> | null | undefined;
  /** Only runs created before this instant. */
  until?: string | null | undefined;
  /** Only runs that started with this version of the definition. */
  version?: string | null | undefined;
  /** Only runs of workflows with this name. */
  workflow?: string | null | undefined;
};

/** A run must match all given fields. */
export type RunFilter = {
  /** Only runs of this app. */
  app?: string | null | undefined;
  /** Only runs that this bulk call made by replay, or cancelled. */
  bulkId?: string | number | null | undefined;
  /** Only runs that an event or a manual trigger with this `dedupeId` started. */
  dedupeId?: string | null | undefined;
  /** Also searches `q` in the text of input, result and error. */
  deep?: boolean | null | undefined;
  /** Only runs that ended at or after this instant. */
  endedSince?: string | null | undefined;
  /** Only failed runs with errors of this group. `failureGroups` names the groups. */
  errorGroup?: string | null | undefined;
  /** Only runs that this event started, alone or in a batch. */
  eventId?: string | number | null | undefined;
  /** Only runs that were replayed or retried from a step; `false`: only others. */
  isReplayed?: boolean | null | undefined;
  /** Only direct children of this run. */
  parentRunId?: string | number | null | undefined;
  /** A part of the workflow, the run id or the app, in upper or lower case. */
  q?: string | null | undefined;
  /** Only replays and retries of this run. */
  replayOf?: string | number | null | undefined;
  /** Leaves out the children of other runs. */
  rootOnly?: boolean | null | undefined;
  /** Only runs with this kind of start. */
  runType?: TriggerKind | null | undefined;
  /** Only unfinished runs that hold a place of this scope, or wait for one. */
  scope?: ScopeFilter | null | undefined;
  /** Only runs of this session. A run without a session matches by its own id. */
  session?: string | null | undefined;
  /** Only runs created at or after this instant. */
  since?: string | null | undefined;
  /** Only runs of this status, or of the three active ones. */
  status?: RunStatusFilter | null | undefined;
  /** Only runs of one of these statuses. An empty list counts as absent. */
  statuses?: Array<RunStatus> | null | undefined;
  /** Only runs that have all of these tags. */
  tags?: Array<TagFilter> | null | undefined;
  /** Only runs created before this instant. */
  until?: string | null | undefined;
  /** Only runs that started with this version of the definition. */
  version?: string | null | undefined;
  /** Only runs of workflows with this name. */
  workflow?: string | null | undefined;
};

/** The order of runs. Equal ones are ordered by start and id. */
export type RunSort =
  /** By the name of the app. */
  | 'APP'
  /** By `durationMs`. Unfinished runs come last in both directions. */
  | 'DURATION'
  /** By the time of creation. */
  | 'STARTED'
  /** By the name of the status. */
  | 'STATUS'
  /** By the name of the workflow. */
  | 'WORKFLOW';

/** The status of a run. `SUCCEEDED`, `FAILED` and `CANCELLED` are final. */
export type RunStatus =
  /** Ended by a call, an event, a parent or a `singleton`. */
  | 'CANCELLED'
  /** Ended with an error, after all retries. */
  | 'FAILED'
  /** Parked on an approval, so a person must decide. */
  | 'NEEDS_ATTENTION'
  /** Does not go on until it is resumed, by hand or by its budget. */
  | 'PAUSED'
  /** Ready, and waits for a runner, a slot or its start time. */
  | 'QUEUED'
  /** A runner executes a pass of it. */
  | 'RUNNING'
  /** Ended with a result. */
  | 'SUCCEEDED'
  /** Parked on a sleep, an event, a child, a decision, a model or a retry. */
  | 'WAITING';

/** A status. `ACTIVE` means queued, running or waiting; `ALL` means no filter. */
export type RunStatusFilter =
  /** The three statuses `QUEUED`, `RUNNING` and `WAITING`. */
  | 'ACTIVE'
  /** Every status, as without the filter. */
  | 'ALL'
  /** Ended by a call, an event, a parent or a `singleton`. */
  | 'CANCELLED'
  /** Ended with an error, after all retries. */
  | 'FAILED'
  /** Parked on an approval, so a person must decide. */
  | 'NEEDS_ATTENTION'
  /** Does not go on until it is resumed, by hand or by its budget. */
  | 'PAUSED'
  /** Ready, and waits for a runner, a slot or its start time. */
  | 'QUEUED'
  /** A runner executes a pass of it. */
  | 'RUNNING'
  /** Ended with a result. */
  | 'SUCCEEDED'
  /** Parked on a sleep, an event, a child, a decision, a model or a retry. */
  | 'WAITING';

/** A scope of the `concurrency` policy of a workflow. */
export type ScopeFilter = {
  /** The app of the workflow. */
  app: string;
  /** The value at the policy's key. Absent: the scope of the whole workflow. */
  key?: string | null | undefined;
  /** The workflow with the policy. */
  workflow: string;
};

/** The direction of an order. */
export type SortDirection =
  /** The least comes first: the oldest, the shortest, A. */
  | 'ASC'
  /** The greatest comes first: the newest, the longest, Z. */
  | 'DESC';

/** A tag that a run must have. */
export type TagFilter = {
  /** At most 64 letters, digits, `_`, `.` or `-`. */
  key: string;
  /** Compared exactly: at most 256 characters. */
  value: string;
};

/** The kind of a start. */
export type TriggerKind =
  /** A schedule of the workflow was due. */
  | 'CRON'
  /** An event matched a trigger of the workflow. */
  | 'EVENT'
  /** A call named the workflow, or another run did. */
  | 'MANUAL';

/** The rights of a caller. */
export type ViewerKind =
  /** Manages projects and keys, and acts in the project that its header names. */
  | 'OPERATOR'
  /** A secret key that acts for the project and the person in its headers. */
  | 'PLATFORM'
  /** Reads its project, and writes nothing. */
  | 'PUBLIC'
  /** Reads and writes its project. */
  | 'SECRET';

export type SwitchableProjectsQueryVariables = Exact<{ [key: string]: never; }>;


export type SwitchableProjectsQuery = { projects: Array<{ id: string, name: string, suspended: boolean }> };

export type FindByIdQueryVariables = Exact<{
  id: string | number;
}>;


export type FindByIdQuery = { run: { id: string, app: string, workflow: string, status: RunStatus } | null, event: { id: string, name: string, app: string } | null, approval: { id: string, tool: string, status: ApprovalStatus } | null, webhookDelivery: { id: string, url: string } | null, webhookSourceDelivery: { id: string } | null };

export type FindWorkflowsQueryVariables = Exact<{ [key: string]: never; }>;


export type FindWorkflowsQuery = { workflowPage: { nodes: Array<{ app: string, name: string }> } };

export type BulkReplayPreviewQueryVariables = Exact<{
  input: BulkReplayRunsInput;
}>;


export type BulkReplayPreviewQuery = { preview: BulkPreviewFieldsFragment };

export type BulkPreviewFieldsFragment = { count: number, matched: number, skipped: number, capped: boolean, until: string, byStatus: { queued: number, running: number, waiting: number, paused: number, needsAttention: number, succeeded: number, failed: number, cancelled: number }, sample: Array<{ id: string, workflow: string, status: RunStatus, createdAt: string }> };

export type BulkCancelPreviewQueryVariables = Exact<{
  input: BulkCancelRunsInput;
}>;


export type BulkCancelPreviewQuery = { preview: { count: number, matched: number, skipped: number, capped: boolean, until: string, byStatus: { queued: number, running: number, waiting: number, paused: number, needsAttention: number, succeeded: number, failed: number, cancelled: number }, sample: Array<{ id: string, workflow: string, status: RunStatus, createdAt: string }> } };

export type BulkReplayMutationVariables = Exact<{
  input: BulkReplayRunsInput;
}>;


export type BulkReplayMutation = { done: { id: string | null, matched: number, skipped: number, failed: number, capped: boolean, count: number } | null };

export type BulkCancelMutationVariables = Exact<{
  input: BulkCancelRunsInput;
}>;


export type BulkCancelMutation = { done: { id: string | null, matched: number, skipped: number, failed: number, capped: boolean, count: number } | null };

export type RunsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RunFilter | null | undefined;
  sort?: RunSort | null | undefined;
  dir?: SortDirection | null | undefined;
}>;


export type RunsQuery = { runs: { nodes: Array<{ id: string, app: string, workflow: string, version: string, status: RunStatus, createdAt: string, startedAt: string | null, endedAt: string | null, durationMs: number | null, attempt: number, tags: Readonly<Record<string, string>> | null, error: { name: string | null, message: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RunStatusChangedSubscriptionVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
}>;


export type RunStatusChangedSubscription = { runStatusChanged: { runId: string, status: RunStatus, ts: string } };

export type KnownWorkflowsQueryVariables = Exact<{ [key: string]: never; }>;


export type KnownWorkflowsQuery = { workflowPage: { nodes: Array<{ app: string, name: string }> } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { kind: ViewerKind, name: string, actor: string | null, project: { id: string, name: string, suspended: boolean } | null } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const BulkPreviewFieldsFragmentDoc = new TypedDocumentString(`
    fragment BulkPreviewFields on BulkPreview {
  count
  matched
  skipped
  capped
  until
  byStatus {
    queued
    running
    waiting
    paused
    needsAttention
    succeeded
    failed
    cancelled
  }
  sample {
    id
    workflow
    status
    createdAt
  }
}
    `, {"fragmentName":"BulkPreviewFields"}) as unknown as TypedDocumentString<BulkPreviewFieldsFragment, unknown>;
export const SwitchableProjectsDocument = new TypedDocumentString(`
    query SwitchableProjects {
  projects(limit: 200) {
    id
    name
    suspended
  }
}
    `) as unknown as TypedDocumentString<SwitchableProjectsQuery, SwitchableProjectsQueryVariables>;
export const FindByIdDocument = new TypedDocumentString(`
    query FindById($id: ID!) {
  run(id: $id) {
    id
    app
    workflow
    status
  }
  event(id: $id) {
    id
    name
    app
  }
  approval(id: $id) {
    id
    tool
    status
  }
  webhookDelivery(id: $id) {
    id
    url
  }
  webhookSourceDelivery(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<FindByIdQuery, FindByIdQueryVariables>;
export const FindWorkflowsDocument = new TypedDocumentString(`
    query FindWorkflows {
  workflowPage(first: 200) {
    nodes {
      app
      name
    }
  }
}
    `) as unknown as TypedDocumentString<FindWorkflowsQuery, FindWorkflowsQueryVariables>;
export const BulkReplayPreviewDocument = new TypedDocumentString(`
    query BulkReplayPreview($input: BulkReplayRunsInput!) {
  preview: bulkReplayPreview(input: $input) {
    ...BulkPreviewFields
  }
}
    fragment BulkPreviewFields on BulkPreview {
  count
  matched
  skipped
  capped
  until
  byStatus {
    queued
    running
    waiting
    paused
    needsAttention
    succeeded
    failed
    cancelled
  }
  sample {
    id
    workflow
    status
    createdAt
  }
}`) as unknown as TypedDocumentString<BulkReplayPreviewQuery, BulkReplayPreviewQueryVariables>;
export const BulkCancelPreviewDocument = new TypedDocumentString(`
    query BulkCancelPreview($input: BulkCancelRunsInput!) {
  preview: bulkCancelPreview(input: $input) {
    count
    matched
    skipped
    capped
    until
    byStatus {
      queued
      running
      waiting
      paused
      needsAttention
      succeeded
      failed
      cancelled
    }
    sample {
      id
      workflow
      status
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<BulkCancelPreviewQuery, BulkCancelPreviewQueryVariables>;
export const BulkReplayDocument = new TypedDocumentString(`
    mutation BulkReplay($input: BulkReplayRunsInput!) {
  done: bulkReplayRuns(input: $input) {
    id
    count: replayed
    matched
    skipped
    failed
    capped
  }
}
    `) as unknown as TypedDocumentString<BulkReplayMutation, BulkReplayMutationVariables>;
export const BulkCancelDocument = new TypedDocumentString(`
    mutation BulkCancel($input: BulkCancelRunsInput!) {
  done: bulkCancelRuns(input: $input) {
    id
    count: cancelled
    matched
    skipped
    failed
    capped
  }
}
    `) as unknown as TypedDocumentString<BulkCancelMutation, BulkCancelMutationVariables>;
export const RunsDocument = new TypedDocumentString(`
    query Runs($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {
  runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {
    nodes {
      id
      app
      workflow
      version
      status
      createdAt
      startedAt
      endedAt
      durationMs
      attempt
      tags
      error {
        name
        message
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<RunsQuery, RunsQueryVariables>;
export const RunStatusChangedDocument = new TypedDocumentString(`
    subscription RunStatusChanged($app: String, $workflow: String) {
  runStatusChanged(app: $app, workflow: $workflow) {
    runId
    status
    ts
  }
}
    `) as unknown as TypedDocumentString<RunStatusChangedSubscription, RunStatusChangedSubscriptionVariables>;
export const KnownWorkflowsDocument = new TypedDocumentString(`
    query KnownWorkflows {
  workflowPage(first: 200) {
    nodes {
      app
      name
    }
  }
}
    `) as unknown as TypedDocumentString<KnownWorkflowsQuery, KnownWorkflowsQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    kind
    name
    actor
    project {
      id
      name
      suspended
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;