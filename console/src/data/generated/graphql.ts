/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The rights of a key. */
export type ApiKeyKind =
  /** A secret key that acts for the project and the person in its headers. */
  | 'PLATFORM'
  /** Reads its project, and writes nothing. */
  | 'PUBLIC'
  /** Reads and writes its project. */
  | 'SECRET';

/** The decision of a person. */
export type ApprovalDecision =
  /** The run goes on with the arguments, perhaps edited ones. */
  | 'APPROVED'
  /** The run learns of the denial, and its handler decides how to go on. */
  | 'DENIED';

/** The effect of the deadline on an undecided approval. */
export type ApprovalOnTimeout =
  /** It counts as approved. */
  | 'APPROVE'
  /** It stays open without a deadline, for the contact in `escalatesTo`. */
  | 'ESCALATE'
  /** It is cancelled, and the step fails. */
  | 'FAIL'
  /** It counts as denied. */
  | 'REJECT';

/** The order of a list of approvals. */
export type ApprovalSort =
  /** Open ones, the next deadline first. Those without one come last. */
  | 'DEADLINE'
  /** Newest first. */
  | 'NEWEST';

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

/** The growth of the delay between attempts. */
export type Backoff =
  /** Each delay is twice the one before, up to a bound. */
  | 'EXPONENTIAL'
  /** All delays are equal. */
  | 'FIXED'
  /** Each delay adds the first one, up to a bound. */
  | 'LINEAR';

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

/** The kind of a call in the audit log. */
export type ControlActionKind =
  /** Approved an action of a run. */
  | 'APPROVE'
  /** Cancelled the runs of a filter. `detail` has the counts. */
  | 'BULK_CANCEL'
  /** Attempted the deliveries of a filter again. `detail` has the counts. */
  | 'BULK_REDELIVER'
  /** Replayed the runs of a filter. `detail` has the counts. */
  | 'BULK_REPLAY'
  /** Cancelled one run. */
  | 'CANCEL'
  /** Issued a key of the project. `detail` has its id, name and kind. */
  | 'CREATE_API_KEY'
  /** Created the project. */
  | 'CREATE_PROJECT'
  /** Created an address for deliveries. */
  | 'CREATE_WEBHOOK_ENDPOINT'
  /** Created an address for messages of a sender. */
  | 'CREATE_WEBHOOK_SOURCE'
  /** Deleted an address for deliveries. */
  | 'DELETE_WEBHOOK_ENDPOINT'
  /** Deleted an address for messages of a sender. */
  | 'DELETE_WEBHOOK_SOURCE'
  /** Denied an action of a run. */
  | 'DENY'
  /** The service disabled an endpoint that had failed for days. */
  | 'DISABLE_WEBHOOK_ENDPOINT'
  /** Paused one run. */
  | 'PAUSE'
  /** Attempted one delivery again. */
  | 'REDELIVER_WEBHOOK'
  /** Removed the key of a provider of models. */
  | 'REMOVE_PROVIDER_KEY'
  /** Replayed one run. `newRunId` is the new one. */
  | 'REPLAY'
  /** Made a message of a source an event again. */
  | 'REPLAY_WEBHOOK_DELIVERY'
  /** Woke a retired workflow. */
  | 'RESTORE_WORKFLOW'
  /** Resumed one run. */
  | 'RESUME'
  /** Put a workflow to sleep. */
  | 'RETIRE_WORKFLOW'
  /** Repeated one run from the step in `detail`. `newRunId` is the new one. */
  | 'RETRY_FROM_STEP'
  /** Revoked a key of the project. */
  | 'REVOKE_API_KEY'
  /** Gave each app a new secret that signs its invokes. */
  | 'ROTATE_PROJECT_SECRETS'
  /** Gave an endpoint or a source a new secret. */
  | 'ROTATE_WEBHOOK_SECRET'
  /** Sent a sample body to an endpoint. */
  | 'SEND_TEST_WEBHOOK'
  /** Stored a key of a provider of models. `detail` names the provider. */
  | 'SET_PROVIDER_KEY'
  /** Changed fields of the project. `detail` names them. */
  | 'UPDATE_PROJECT'
  /** Changed an address for deliveries. */
  | 'UPDATE_WEBHOOK_ENDPOINT'
  /** Changed an address for messages of a sender. */
  | 'UPDATE_WEBHOOK_SOURCE';

/** A key to issue. */
export type CreateApiKeyInput = {
  /** An instant in the future. Absent: the key does not expire. */
  expiresAt?: string | null | undefined;
  /** The rights of the key. They cannot be changed. */
  kind: ApiKeyKind;
  /** A label, which the audit log records as the actor. */
  name: string;
  /** Required unless the kind is `PLATFORM`. */
  projectId?: string | number | null | undefined;
};

/** A project to create. */
export type CreateProjectInput = {
  /** Maximum number of runs that execute at once; 0, the default, means no limit. */
  concurrencyCeiling?: number | null | undefined;
  /** A label for people, unique among the projects. */
  name: string;
};

/** An address that is to be told of changes. */
export type CreateWebhookEndpointInput = {
  /** Only changes of this app; all apps unless given. */
  app?: string | null | undefined;
  /** Default: true. */
  enabled?: boolean | null | undefined;
  /** At least one, each once. */
  eventKinds: Array<WebhookEventKind>;
  /** A label, unique in the project. */
  name?: string | null | undefined;
  /** Default: `SERVICE`. */
  scheme?: WebhookEndpointScheme | null | undefined;
  /** A known signing secret; generated unless given. */
  secret?: string | null | undefined;
  /** An http or https URL, unique among the endpoints of an app. */
  url: string;
};

/** A sender whose messages are to become events. */
export type CreateWebhookSourceInput = {
  /** The app of its events. */
  app?: string | null | undefined;
  /** A dotted path into the body, such as `data.id`. */
  dedupeKey?: string | null | undefined;
  /** Default: true. */
  enabled?: boolean | null | undefined;
  /** The name of the event that a verified message becomes. */
  eventName: string;
  /** At most 20 names of headers that come along as `event.headers`. No signature, no authorization. */
  exposeHeaders?: Array<string> | null | undefined;
  /** The confirmation that the sender asks for. Absent: none. */
  handshake?: WebhookHandshake | null | undefined;
  /** A label, unique in the project. */
  name?: string | null | undefined;
  /** Default: `SERVICE`. */
  scheme?: WebhookSourceScheme | null | undefined;
  /** A known signing secret; generated unless given. */
  secret?: string | null | undefined;
  /** Its events start workflows of this app only. */
  targetApp?: string | null | undefined;
  /** A known token of 16 to 128 URL-safe characters; generated unless given. */
  token?: string | null | undefined;
};

/** A decision on an open approval. */
export type DecideApprovalInput = {
  /** Arguments that replace the proposed ones. A denial ignores them. */
  args?: unknown;
  /** The id of the approval, not of its run. */
  id: string | number;
  /** Why, for the handler and for later readers: at most 2000 characters. */
  reason?: string | null | undefined;
  /** A denial is no failure: the handler goes on with it. */
  status: ApprovalDecision;
};

/** The surface of a decision, known from the credentials of the call. */
export type DecidedVia =
  /** REST or GraphQL with a key of the project. */
  | 'API'
  /** A platform key that acts for a person. */
  | 'CONSOLE'
  /** An agent tool. */
  | 'MCP'
  /** The deadline. */
  | 'TIMEOUT'
  /** A surface that was not recorded. */
  | 'UNRECORDED';

/** The endpoint to delete. */
export type DeleteWebhookEndpointInput = {
  /** An unknown id answers `NOT_FOUND`. */
  id: string | number;
};

/** The source to delete. */
export type DeleteWebhookSourceInput = {
  /** An unknown id answers `NOT_FOUND`. */
  id: string | number;
};

/** The way by which an event came in. */
export type EventSource =
  /** A call with a key. */
  | 'API'
  /** A step of a run. `sourceRunId` names the run. */
  | 'EMIT'
  /** A signed message to a webhook source. */
  | 'WEBHOOK';

/** A policy that gathers starts in buffers. */
export type FlowBufferPolicy =
  /** The starts become one run, when there are enough of them or the first has waited long. */
  | 'BATCH'
  /** The last start becomes a run, after a quiet period. */
  | 'DEBOUNCE';

/** The kind of an entry in the journal of a run. */
export type FrameKind =
  /** A log line of the handler or a step. */
  | 'LOG'
  /** The run changed its status. */
  | 'RUN_STATUS'
  /** An attempt of a step changed its status. */
  | 'STEP_STATUS';

/** The new status of a run or a step. */
export type FrameStatus =
  /** Ended by a call, an event, a parent or a `singleton`. */
  | 'CANCELLED'
  /** The run failed for good, or one attempt of the step failed. */
  | 'FAILED'
  /** Parked on an approval, so a person must decide. */
  | 'NEEDS_ATTENTION'
  /** Does not go on until it is resumed, by hand or by its budget. */
  | 'PAUSED'
  /** Ready, and waits for a runner, a slot or its start time. */
  | 'QUEUED'
  /** A runner executes the run, or the step. */
  | 'RUNNING'
  /** Steps only: the handler skipped it. */
  | 'SKIPPED'
  /** Ended with a result. */
  | 'SUCCEEDED'
  /** The run or the step is parked on something that must happen. */
  | 'WAITING';

/** The severity of a log line. */
export type LogLevel =
  /** Details for the search for a fault. */
  | 'DEBUG'
  /** A fault. */
  | 'ERROR'
  /** The usual course. */
  | 'INFO'
  /** Something unexpected that the code could handle. */
  | 'WARN';

/** The cause of a pause. */
export type PauseReason =
  /** The workflow spent its `budget`. The run resumes when the window has room again. */
  | 'BUDGET'
  /** A call paused the run. No budget resumes it. */
  | 'MANUAL';

/** `SETTINGS` is the environment of the process. */
export type ProviderKeySource =
  /** The operator set it for the project. No other project uses it. */
  | 'PROJECT'
  /** The environment of the process. All projects without a key of their own share it. */
  | 'SETTINGS';

/** The delivery to attempt again. */
export type RedeliverWebhookInput = {
  /** A delivery of any status but `DELIVERING`. */
  id: string | number;
};

/** A delivery must match all given fields; at least one is required. */
export type RedeliverWebhooksInput = {
  /** Only deliveries that runs of this app caused. */
  app?: string | null | undefined;
  /** Only these deliveries: 1 to 1000 ids. */
  deliveryIds?: Array<string | number> | null | undefined;
  /** Only deliveries to this endpoint. */
  endpointId?: string | number | null | undefined;
  /** Only deliveries that tell this kind of change. */
  eventKind?: WebhookDeliveryKind | null | undefined;
  /** Only deliveries that this run caused. */
  runId?: string | number | null | undefined;
  /** Only deliveries created at or after this instant. */
  since?: string | null | undefined;
  /** Only deliveries that tell of this run, without the sends of its steps. */
  sourceRunId?: string | number | null | undefined;
  /** Default: `FAILED`, `EXHAUSTED` and `DEAD`. */
  statuses?: Array<RedeliverableStatus> | null | undefined;
  /** Only deliveries created before this instant. */
  until?: string | null | undefined;
};

/** The status of a delivery apart from `DELIVERING`. */
export type RedeliverableStatus =
  /** The receiver refused it for good, so no attempt follows. */
  | 'DEAD'
  /** All attempts failed, so none follows. */
  | 'EXHAUSTED'
  /** The last attempt failed. Another one follows at `nextAttemptAt`. */
  | 'FAILED'
  /** Waits for its first attempt, or the first after a redelivery. */
  | 'PENDING'
  /** The receiver accepted it. */
  | 'SUCCEEDED';

/** The key of a provider to remove from one project. */
export type RemoveProviderKeyInput = {
  /** An id from `projects`. An unknown one answers `NOT_FOUND`. */
  projectId: string | number;
  /** The name under which the key was set. */
  provider: string;
};

/** The run to replay from its beginning. */
export type ReplayRunInput = {
  /** Replaces the input of the run. */
  input?: unknown;
  /** The run to replay. */
  runId: string | number;
};

/** The message to make an event again. */
export type ReplaySourceDeliveryInput = {
  /** The delivery to replay. */
  id: string | number;
};

/** `CALLER` cancelled this very run, `BULK` by a filter, `EVENT` by `cancelOn`. `PARENT` had ended, and `SINGLETON` was taken by a newer run. */
export type RunCanceller =
  /** A bulk call whose filter selected the run. */
  | 'BULK'
  /** A call that named the run. */
  | 'CALLER'
  /** An event that matched `cancelOn` of the workflow. */
  | 'EVENT'
  /** The end of the parent run. */
  | 'PARENT'
  /** A newer run of the same `singleton` key. */
  | 'SINGLETON'
  /** Its `ttlMs`: the run had not begun in time. */
  | 'TTL'
  /** No record tells the canceller. */
  | 'UNKNOWN';

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

/** The state of a run in one word. It is finer than the status: it tells who must act. */
export type RunVerdict =
  /** The run was cancelled. */
  | 'CANCELLED'
  /** The run failed for good. */
  | 'FAILED'
  /** A person must decide on an approval. */
  | 'NEEDS_DECISION'
  /** A person or a budget paused the run. */
  | 'PAUSED'
  /** The run waits for its turn. */
  | 'QUEUED'
  /** The run had a failure, and tries again by itself. */
  | 'RETRYING'
  /** A runner executes the run. */
  | 'RUNNING'
  /** The run lacks a runner, a dispatcher or a valid provider key. Somebody must act. */
  | 'STUCK'
  /** The run has a result. */
  | 'SUCCEEDED'
  /** The run goes on by itself. */
  | 'WAITING';

/** The cause for which a run does not move. Each kind has its type. */
export type RunWaitKind =
  /** A person must decide. */
  | 'APPROVAL'
  /** The project executes as many runs as it may. */
  | 'CEILING'
  /** A child run must end. */
  | 'CHILD'
  /** All slots of the `concurrency` scope are taken. */
  | 'CONCURRENCY'
  /** No process hands out runs. */
  | 'DISPATCHER'
  /** An event must come for which the guard holds. */
  | 'EVENT'
  /** A model must answer. */
  | 'INFERENCE'
  /** A person or a budget must end the pause. */
  | 'PAUSED'
  /** The next attempt is due later. */
  | 'RETRY'
  /** No runner has taken the run. */
  | 'RUNNER'
  /** A sleep must end. */
  | 'SLEEP'
  /** Flow control delays the start. */
  | 'START'
  /** A runner must answer the next call. */
  | 'TRANSPORT';

/** `NONE`: no runner ever registered the workflow. `GONE`: those that did are not live. `FULL`: the live ones execute as many runs as they may. `FREE`: a dispatcher takes the run next. */
export type RunnerLack =
  /** A live runner has room, so the run is taken next. */
  | 'FREE'
  /** Every live runner executes as many runs as it may. */
  | 'FULL'
  /** Runners registered the workflow, and none of them is live. */
  | 'GONE'
  /** No runner ever registered the workflow. */
  | 'NONE';

/** The way between the service and a runner. */
export type RunnerTransport =
  /** The runner holds a socket to the service. */
  | 'CONNECT'
  /** The service calls the URL of the runner. */
  | 'HTTP';

/** A scope of the `concurrency` policy of a workflow. */
export type ScopeFilter = {
  /** The app of the workflow. */
  app: string;
  /** The value at the policy's key. Absent: the scope of the whole workflow. */
  key?: string | null | undefined;
  /** The workflow with the policy. */
  workflow: string;
};

/** An event to record. */
export type SendEventInput = {
  /** The app that publishes the event; `default` unless given. Triggers of all apps still match. */
  app?: string | null | undefined;
  /** Any JSON. Null is data that is null; absent is no data. */
  data?: unknown;
  /** An event with the same id within the dedupe window is dropped. */
  dedupeId?: string | null | undefined;
  /** How long the start of the runs is delayed, in ms: at most 365 days. Not together with `startAt`. */
  delayMs?: number | null | undefined;
  /** At most 256 characters. Triggers match it exactly, or by a prefix before `*`. */
  name: string;
  /** Pins the runs to this runner. Only workflows that it registered start. */
  runner?: string | null | undefined;
  /** The conversation that the started runs join. */
  session?: string | null | undefined;
  /** The earliest start of the runs: at most 365 days ahead. A past time starts them now. Not together with `delayMs`. */
  startAt?: string | null | undefined;
  /** Tags of the event, and of every run that it starts. */
  tags?: Readonly<Record<string, string>> | null | undefined;
  /** Only triggers of this app match. */
  targetApp?: string | null | undefined;
  /** A run that has not begun within this time is dropped: it is cancelled. Counts from its start time, in ms, at most 365 days. */
  ttlMs?: number | null | undefined;
};

/** A sample for an endpoint. */
export type SendTestWebhookInput = {
  /** An enabled endpoint. */
  endpointId: string | number;
  /** Any kind, also one that the endpoint does not list. */
  kind: WebhookEventKind;
};

/** The order of sessions. */
export type SessionSort =
  /** The dearest first, then those without a price by tokens. Only sessions that called models. */
  | 'COST'
  /** The most recent run first. */
  | 'LATEST';

/** A key of a model provider for one project. */
export type SetProviderKeyInput = {
  /** The key as the provider issued it. */
  apiKey: string;
  /** The URL of an OpenAI-compatible provider, or of a gateway. Required unless the provider is `anthropic` or `openai`. */
  baseUrl?: string | null | undefined;
  /** An id from `projects`. An unknown one answers `NOT_FOUND`. */
  projectId: string | number;
  /** `anthropic`, `openai`, or any other name. */
  provider: string;
};

/** The end of a start in a simulation. */
export type SimulatedOutcome =
  /** Its run has the starts of a batch. */
  | 'BATCHED'
  /** A later start of its `debounce` took its place. */
  | 'DEBOUNCED'
  /** A repeat by its `idempotency` key. */
  | 'DEDUPED'
  /** A newer run of its `singleton` displaced its run. */
  | 'DISPLACED'
  /** Too many starts for `rateLimit`. */
  | 'DROPPED'
  /** A run of its `singleton` was unfinished. */
  | 'SKIPPED'
  /** Its run executes. */
  | 'STARTED';

/** The run that yields to the other. */
export type SingletonMode =
  /** The new run starts, and the former one is cancelled. */
  | 'CANCEL'
  /** The former run stays, and the new start is skipped. */
  | 'SKIP';

/** The direction of an order. */
export type SortDirection =
  /** The least comes first: the oldest, the shortest, A. */
  | 'ASC'
  /** The greatest comes first: the newest, the longest, Z. */
  | 'DESC';

/** A policy that delays starts. */
export type StartPolicy =
  /** The `throttle` spaces starts evenly. */
  | 'THROTTLE'
  /** The bucket of `tokenThrottle` is drained. */
  | 'TOKEN_THROTTLE';

/** The call of `step` that made a step. */
export type StepKind =
  /** `step.approval`: a person decides. */
  | 'APPROVAL'
  /** `step.emit`: sends an event. */
  | 'EMIT'
  /** `step.ai.generate` and its like: the service calls a model. */
  | 'INFER'
  /** `step.run`, and AI steps that the runner executes. */
  | 'RUN'
  /** `step.runWorkflow`: waits for a child run. */
  | 'RUN_WORKFLOW'
  /** `step.score`: records a score. */
  | 'SCORE'
  /** `step.sleep` and `step.sleepUntil`. */
  | 'SLEEP'
  /** An opcode that the service does not know. The step has failed. */
  | 'UNKNOWN'
  /** `step.waitForEvent`, until an event comes or its time is over. */
  | 'WAIT_FOR_EVENT'
  /** `ctx.webhook.send`: enqueues a delivery. */
  | 'WEBHOOK';

/** The status of one attempt of a step. */
export type StepStatus =
  /** Its run ended before it did. */
  | 'CANCELLED'
  /** Ended with an error. `willRetry` tells whether another attempt follows. */
  | 'FAILED'
  /** A runner executes it. */
  | 'RUNNING'
  /** The handler skipped it, with a reason as output. */
  | 'SKIPPED'
  /** Ended with an output, which later passes reuse. */
  | 'SUCCEEDED'
  /** Parked on a sleep, an event, a child, a decision or a model. */
  | 'WAITING';

/** The kind of values that are suggested. */
export type SuggestionKind =
  /** Apps of registered workflows. */
  | 'APP'
  /** Names of events that came, or that workflows listen for. */
  | 'EVENT'
  /** Sessions of runs. */
  | 'SESSION'
  /** Keys of the tags of runs. */
  | 'TAG_KEY'
  /** Values that the tags of runs have under one key. */
  | 'TAG_VALUE'
  /** Versions of definitions that runs have. */
  | 'VERSION'
  /** Names of registered workflows. */
  | 'WORKFLOW';

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

/** A start of one workflow. Flow control still applies. */
export type TriggerWorkflowInput = {
  /** The app that registered the workflow. */
  app: string;
  /** A repeat within the dedupe window starts no run. */
  dedupeId?: string | null | undefined;
  /** How long the start of the runs is delayed, in ms: at most 365 days. Not together with `startAt`. */
  delayMs?: number | null | undefined;
  /** The name of the event; the name of the workflow unless given. */
  eventName?: string | null | undefined;
  /** The data of the event; `{}` unless given. */
  input?: unknown;
  /** The name of the workflow within its app. */
  name: string;
  /** Pins the run to this runner. */
  runner?: string | null | undefined;
  /** The earliest start of the runs: at most 365 days ahead. A past time starts them now. Not together with `delayMs`. */
  startAt?: string | null | undefined;
  /** At most 20 labels of the run. */
  tags?: Readonly<Record<string, string>> | null | undefined;
  /** A run that has not begun within this time is dropped: it is cancelled. Counts from its start time, in ms, at most 365 days. */
  ttlMs?: number | null | undefined;
};

/** Absent fields stay unchanged. */
export type UpdateProjectInput = {
  /** Maximum number of runs that execute at once; 0 means no limit. */
  concurrencyCeiling?: number | null | undefined;
  /** An id from `projects`. An unknown one answers `NOT_FOUND`. */
  id: string | number;
  /** A new label, unique among the projects. */
  name?: string | null | undefined;
  /** A suspended project starts no runs. */
  suspended?: boolean | null | undefined;
};

/** Absent fields stay unchanged. Null clears `name` and `app`. */
export type UpdateWebhookEndpointInput = {
  /** Only changes of this app. Null stands for all apps. */
  app?: string | null | undefined;
  /** `true` also takes up an endpoint that the service disabled. */
  enabled?: boolean | null | undefined;
  /** Replaces the list: at least one, each once. */
  eventKinds?: Array<WebhookEventKind> | null | undefined;
  /** Rotates although the last rotation was less than 24 hours ago. */
  force?: boolean | null | undefined;
  /** The endpoint to change. */
  id: string | number;
  /** A label of at most 256 characters, unique in the project. */
  name?: string | null | undefined;
  /** Ends the validity of the old secret at once. */
  revokePrevious?: boolean | null | undefined;
  /** Rotates to a generated secret. The old one stays valid for 24 hours. */
  rotateSecret?: boolean | null | undefined;
  /** Counts from the next attempt on. */
  scheme?: WebhookEndpointScheme | null | undefined;
  /** Rotates to this known secret. */
  secret?: string | null | undefined;
  /** An http or https URL of at most 2048 characters. */
  url?: string | null | undefined;
};

/** Absent fields stay unchanged. Null clears an optional field. */
export type UpdateWebhookSourceInput = {
  /** The app of its events. */
  app?: string | null | undefined;
  /** A dotted path into the body, such as `data.id`. */
  dedupeKey?: string | null | undefined;
  /** `false` makes its address unknown. */
  enabled?: boolean | null | undefined;
  /** The name of the event that a verified message becomes. */
  eventName?: string | null | undefined;
  /** Replaces the list: at most 20 names. No signature, no authorization. */
  exposeHeaders?: Array<string> | null | undefined;
  /** Rotates although the last rotation was less than 24 hours ago. */
  force?: boolean | null | undefined;
  /** The confirmation of its address. */
  handshake?: WebhookHandshake | null | undefined;
  /** The source to change. */
  id: string | number;
  /** A label, unique in the project. */
  name?: string | null | undefined;
  /** Ends the validity of the old secret at once. */
  revokePrevious?: boolean | null | undefined;
  /** Rotates to a generated secret. The old one stays valid for 24 hours. */
  rotateSecret?: boolean | null | undefined;
  /** Counts for messages that arrive from now on. */
  scheme?: WebhookSourceScheme | null | undefined;
  /** Rotates to this known secret. */
  secret?: string | null | undefined;
  /** Its events start workflows of this app only. */
  targetApp?: string | null | undefined;
};

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

/** The outcome of one attempt; `SKIPPED` sent nothing. */
export type WebhookAttemptOutcome =
  /** No connection, or it broke before an answer. */
  | 'CONNECTION_ERROR'
  /** The receiver answered with another status than 2xx. */
  | 'HTTP_ERROR'
  /** The endpoint was gone or disabled, so no request was made. */
  | 'SKIPPED'
  /** The receiver answered with a status of 2xx. */
  | 'SUCCEEDED'
  /** The receiver did not answer in time. */
  | 'TIMEOUT';

/** The change that a delivery tells; `CUSTOM` is the send of a step. */
export type WebhookDeliveryKind =
  /** A step sent a body of its own. */
  | 'CUSTOM'
  /** A run was cancelled. */
  | 'RUN_CANCELLED'
  /** A run failed for good. */
  | 'RUN_FAILED'
  /** A run ended with a result. */
  | 'RUN_SUCCEEDED'
  /** A step failed, and no attempt of it follows. */
  | 'STEP_FAILED'
  /** A step was skipped. */
  | 'STEP_SKIPPED'
  /** A step ended with an output. */
  | 'STEP_SUCCEEDED';

/** The progress of a delivery. `SUCCEEDED`, `EXHAUSTED` and `DEAD` are final unless it is redelivered. */
export type WebhookDeliveryStatus =
  /** The receiver refused it for good, so no attempt follows. */
  | 'DEAD'
  /** A sending process has leased it: an attempt is under way, or comes next. */
  | 'DELIVERING'
  /** All attempts failed, so none follows. */
  | 'EXHAUSTED'
  /** The last attempt failed. Another one follows at `nextAttemptAt`. */
  | 'FAILED'
  /** Waits for its first attempt, or the first after a redelivery. */
  | 'PENDING'
  /** The receiver accepted it. */
  | 'SUCCEEDED';

/** How deliveries are signed: by the header `X-Service-Signature`, or as Standard Webhooks says. */
export type WebhookEndpointScheme =
  /** The header `X-Service-Signature` with a timestamp and HMAC-SHA256. */
  | 'SERVICE'
  /** The headers of Standard Webhooks. */
  | 'STANDARD';

/** A change of a run or a step of which an endpoint is told. */
export type WebhookEventKind =
  /** A run was cancelled. */
  | 'RUN_CANCELLED'
  /** A run failed for good. */
  | 'RUN_FAILED'
  /** A run ended with a result. */
  | 'RUN_SUCCEEDED'
  /** A step failed, and no attempt of it follows. */
  | 'STEP_FAILED'
  /** A step was skipped. */
  | 'STEP_SKIPPED'
  /** A step ended with an output. */
  | 'STEP_SUCCEEDED';

/** Why a message did not verify. */
export type WebhookFailureReason =
  /** The header of the scheme cannot be parsed. */
  | 'MALFORMED_SIGNATURE'
  /** The header of the scheme is absent. */
  | 'MISSING_SIGNATURE'
  /** No valid secret made the signature. */
  | 'SIGNATURE_MISMATCH'
  /** The signature is right, but too old or from the future. */
  | 'TIMESTAMP_OUT_OF_TOLERANCE';

/** How a sender confirms the address when it is set up. */
export type WebhookHandshake =
  /** A `GET` with `hub.challenge`, which is answered. */
  | 'META'
  /** A message `url_verification`, whose challenge is answered. */
  | 'SLACK';

/** The cause of an attempt. */
export type WebhookSourceAttemptTrigger =
  /** The message arrived. */
  | 'INITIAL'
  /** A call replayed the message. */
  | 'REPLAY';

/** How a message of a webhook source was admitted. A replay does not change it. */
export type WebhookSourceDeliveryStatus =
  /** Verified, and dropped: the value at `dedupeKey` was seen within 24 hours. */
  | 'DEDUPED'
  /** Verified, and recorded as an event. */
  | 'INGESTED'
  /** Verified, and its body is no JSON that an event may have. */
  | 'INVALID'
  /** The secret of the source cannot be read. */
  | 'MISCONFIGURED'
  /** The body is larger than 1 MiB. */
  | 'TOO_LARGE'
  /** The signature does not verify. `failureReason` tells why. */
  | 'UNAUTHORIZED';

/** How a sender signs its messages. */
export type WebhookSourceScheme =
  /** The header `X-Hub-Signature-256`. */
  | 'GITHUB'
  /** The header `X-Service-Signature` with a timestamp. */
  | 'SERVICE'
  /** The headers of Standard Webhooks. */
  | 'STANDARD'
  /** The header `Stripe-Signature` with a timestamp. */
  | 'STRIPE';

export type KnownNamesQueryVariables = Exact<{
  app?: string | null | undefined;
}>;


export type KnownNamesQuery = { apps: Array<string>, workflows: Array<string> };

export type SuggestionsQueryVariables = Exact<{
  kind: SuggestionKind;
  key?: string | null | undefined;
  prefix?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type SuggestionsQuery = { suggestions: Array<string> };

export type SwitchableProjectsQueryVariables = Exact<{ [key: string]: never; }>;


export type SwitchableProjectsQuery = { projects: Array<{ id: string, name: string, suspended: boolean }> };

export type FindByIdQueryVariables = Exact<{
  id: string | number;
}>;


export type FindByIdQuery = { run: { id: string, app: string, workflow: string, status: RunStatus } | null, event: { id: string, name: string, app: string } | null, approval: { id: string, tool: string, status: ApprovalStatus } | null, webhookDelivery: { id: string, url: string } | null, webhookSourceDelivery: { id: string } | null };

export type FindWorkflowsQueryVariables = Exact<{ [key: string]: never; }>;


export type FindWorkflowsQuery = { workflowPage: { nodes: Array<{ app: string, name: string }> } };

export type SpendQueryVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  model?: string | null | undefined;
  since: string;
  bucket: number;
}>;


export type SpendQuery = { aiSpend: { totals: { calls: number, cost: number | null, tokens: number, tokensIn: number, tokensOut: number, cacheEligible: number, cacheHits: number, unknown: number, avgLatencyMs: number | null }, byHourAndModel: Array<{ bucket: string, model: string | null, calls: number, tokens: number, cost: number | null }>, byModel: Array<{ model: string | null, calls: number, cost: number | null, tokensIn: number, tokensOut: number, cacheEligible: number, cacheHits: number, unknown: number }>, byWorkflow: Array<{ app: string, workflow: string, calls: number, cost: number | null, tokens: number }> } };

export type SpendersQueryVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  model?: string | null | undefined;
  since: string;
}>;


export type SpendersQuery = { aiSpend: { bySession: Array<{ session: string, calls: number, cost: number | null, tokens: number }>, byRun: Array<{ runId: string, calls: number, cost: number | null, tokens: number, run: { workflow: string, status: RunStatus, createdAt: string } | null }> } };

export type AiBudgetsQueryVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
}>;


export type AiBudgetsQuery = { flowState: { budgets: Array<{ app: string, workflow: string, cost: number | null, maxCost: number | null, tokens: number, maxTokens: number | null, windowMs: number, paused: number, warnedAt: string | null, exceededAt: string | null, resumesAt: string | null }> } };

export type ApprovalQueryVariables = Exact<{
  id: string | number;
}>;


export type ApprovalQuery = { approval: { id: string, app: string, workflow: string, tool: string, summary: string | null, context: string | null, policy: string | null, risk: string, status: ApprovalStatus, step: string, requestedAt: string, expiresAt: string | null, onTimeout: ApprovalOnTimeout, escalatesTo: string, decidedAt: string | null, decidedBy: string | null, decidedVia: DecidedVia | null, decisionReason: string | null, runId: string, argsPayload: { bytes: number } | null, editedArgsPayload: { bytes: number } | null } | null };

export type ApprovalArgsQueryVariables = Exact<{
  id: string | number;
}>;


export type ApprovalArgsQuery = { approval: { argsPayload: { text: string } | null, editedArgsPayload: { text: string } | null } | null };

export type ApprovalRunQueryVariables = Exact<{
  id: string | number;
}>;


export type ApprovalRunQuery = { run: { id: string, status: RunStatus, startedAt: string | null, endedAt: string | null, durationMs: number | null, stepCount: number, stepPage: { nodes: Array<{ id: string, index: number, attempt: number, name: string, status: StepStatus, startedAt: string, durationMs: number | null }> } } | null };

export type DecideApprovalMutationVariables = Exact<{
  input: DecideApprovalInput;
}>;


export type DecideApprovalMutation = { decideApproval: { approval: { id: string, status: ApprovalStatus } } | null };

export type ApprovalsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  isOpen?: boolean | null | undefined;
  status?: ApprovalStatus | null | undefined;
  risk?: string | null | undefined;
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  runId?: string | number | null | undefined;
  sort?: ApprovalSort | null | undefined;
}>;


export type ApprovalsQuery = { approvals: { nodes: Array<{ id: string, app: string, workflow: string, tool: string, summary: string | null, risk: string, status: ApprovalStatus, requestedAt: string, expiresAt: string | null, onTimeout: ApprovalOnTimeout, escalatesTo: string, decidedAt: string | null, decidedBy: string | null, decidedVia: DecidedVia | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ApprovalStatsQueryVariables = Exact<{ [key: string]: never; }>;


export type ApprovalStatsQuery = { approvalStats: { open: number, isCapped: boolean, byRisk: Array<{ risk: string, count: number }> } };

export type ApprovalChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ApprovalChangedSubscription = { approvalChanged: { id: string, status: ApprovalStatus } };

export type ControlActionsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  action?: ControlActionKind | null | undefined;
  actor?: string | null | undefined;
  runId?: string | number | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type ControlActionsQuery = { controlActions: { nodes: Array<{ id: string, action: ControlActionKind, actor: string | null, createdAt: string, runId: string | null, newRunId: string | null, detail: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ComparedRunQueryVariables = Exact<{
  id: string | number;
}>;


export type ComparedRunQuery = { run: { id: string, app: string, workflow: string, version: string, status: RunStatus, createdAt: string, startedAt: string | null, endedAt: string | null, durationMs: number | null, attempt: number, stepCount: number, tags: Readonly<Record<string, string>> | null, session: string | null, runner: string | null, replayOf: string | null, error: { name: string | null, message: string } | null, inputPayload: { bytes: number, head: string } | null, resultPayload: { bytes: number, head: string } | null } | null };

export type ComparedStepsQueryVariables = Exact<{
  id: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ComparedStepsQuery = { run: { id: string, stepPage: { nodes: Array<{ index: number, attempt: number, name: string, kind: StepKind, status: StepStatus, startedAt: string, durationMs: number | null, inputPayload: { bytes: number, head: string } | null, outputPayload: { bytes: number, head: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type OpenedStepQueryVariables = Exact<{
  id: string | number;
  index: number;
  attempt: number;
}>;


export type OpenedStepQuery = { run: { id: string, stepAt: { id: string, error: { name: string | null, message: string } | null, inputPayload: { bytes: number, head: string } | null, outputPayload: { bytes: number, head: string } | null } | null } | null };

export type OpenedRunQueryVariables = Exact<{
  id: string | number;
}>;


export type OpenedRunQuery = { run: { id: string, inputPayload: { bytes: number, head: string } | null, resultPayload: { bytes: number, head: string } | null } | null };

export type CompareCandidatesQueryVariables = Exact<{
  id: string | number;
  workflow: string;
  app: string;
}>;


export type CompareCandidatesQuery = { run: { id: string, original: CandidateFragment | null, replays: Array<CandidateFragment> } | null, runs: { nodes: Array<CandidateFragment> } };

export type CandidateFragment = { id: string, status: RunStatus, createdAt: string, startedAt: string | null, durationMs: number | null };

export type EventsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  name?: string | null | undefined;
  app?: string | null | undefined;
  session?: string | null | undefined;
  since?: string | null | undefined;
  tags?: Array<TagFilter> | TagFilter | null | undefined;
  unmatchedOnly?: boolean | null | undefined;
}>;


export type EventsQuery = { events: { nodes: Array<{ id: string, name: string, app: string, receivedAt: string, source: EventSource, suspended: boolean | null, tags: Readonly<Record<string, string>> | null, woke: number, triggered: Array<{ app: string, workflow: string, runId: string | null, existingRunId: string | null, deduped: boolean | null, dropped: boolean | null, skipped: boolean | null, debounced: boolean | null, batched: boolean | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type EventIngestedSubscriptionVariables = Exact<{
  name?: string | null | undefined;
  app?: string | null | undefined;
}>;


export type EventIngestedSubscription = { eventIngested: { id: string } };

export type EventQueryVariables = Exact<{
  id: string | number;
}>;


export type EventQuery = { event: { id: string, name: string, app: string, receivedAt: string, source: EventSource, sourceRunId: string | null, suspended: boolean | null, tags: Readonly<Record<string, string>> | null, session: string | null, dedupeId: string | null, targetApp: string | null, runner: string | null, headers: unknown, woke: number, wokeRuns: Array<string>, dataPayload: { bytes: number, head: string } | null, triggered: Array<{ app: string, workflow: string, runId: string | null, existingRunId: string | null, deduped: boolean | null, dropped: boolean | null, skipped: boolean | null, debounced: boolean | null, batched: boolean | null }> } | null };

export type EventDataQueryVariables = Exact<{
  id: string | number;
}>;


export type EventDataQuery = { event: { id: string, name: string, app: string, tags: Readonly<Record<string, string>> | null, session: string | null, targetApp: string | null, dataPayload: { text: string } | null } | null };

export type SendEventMutationVariables = Exact<{
  input: SendEventInput;
}>;


export type SendEventMutation = { sendEvent: { eventId: string, deduped: boolean | null, suspended: boolean | null, woke: number, triggered: Array<{ app: string, workflow: string, runId: string | null, existingRunId: string | null, deduped: boolean | null, dropped: boolean | null, skipped: boolean | null, debounced: boolean | null, batched: boolean | null }> } | null };

export type FlowQueryVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
}>;


export type FlowQuery = { flowState: { concurrency: { inUse: number, limit: number }, scopes: Array<{ app: string, workflow: string, key: string | null, inUse: number, limit: number, waiting: number }>, throttle: Array<{ app: string, workflow: string, key: string | null, delayed: number, nextStartAt: string }>, tokenThrottle: Array<{ app: string, workflow: string, key: string | null, available: number, nextStartAt: string | null }>, buffers: Array<{ app: string, workflow: string, key: string | null, policy: FlowBufferPolicy, items: number, since: string, dueAt: string, runner: string | null }>, singletons: Array<{ app: string, workflow: string, runId: string, since: string }>, budgets: Array<BudgetRowFragment>, inference: Array<{ provider: string, model: string, inFlight: number, limit: number, waiting: number, heldFor: string | null, heldUntil: string | null, keyFrom: ProviderKeySource }> } };

export type BudgetRowFragment = { app: string, workflow: string, cost: number | null, maxCost: number | null, tokens: number, maxTokens: number | null, windowMs: number, paused: number, warnedAt: string | null, exceededAt: string | null, resumesAt: string | null };

export type FlowShedQueryVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  since: string;
}>;


export type FlowShedQuery = { flowState: { shed: Array<{ app: string, workflow: string, matched: number, deduped: number, skipped: number, dropped: number, debounced: number, batched: number }> } };

export type ScopeRunsQueryVariables = Exact<{
  scope: ScopeFilter;
}>;


export type ScopeRunsQuery = { runs: { nodes: Array<{ id: string, status: RunStatus, workflow: string, createdAt: string, startedAt: string | null, tags: Readonly<Record<string, string>> | null }>, pageInfo: { hasNextPage: boolean } } };

export type ProjectsQueryVariables = Exact<{
  after?: string | number | null | undefined;
}>;


export type ProjectsQuery = { projects: Array<{ id: string, name: string, suspended: boolean, concurrencyCeiling: number, createdAt: string }> };

export type AllKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type AllKeysQuery = { apiKeys: Array<{ id: string, name: string, kind: ApiKeyKind, hint: string, projectId: string | null, createdAt: string, lastUsedAt: string | null, expiresAt: string | null, revokedAt: string | null }> };

export type OperatedProjectQueryVariables = Exact<{
  id: string | number;
}>;


export type OperatedProjectQuery = { project: { id: string, name: string, suspended: boolean, concurrencyCeiling: number, createdAt: string } | null };

export type ProjectKeysQueryVariables = Exact<{
  id: string | number;
}>;


export type ProjectKeysQuery = { project: { id: string, apiKeys: Array<KeyRowFragment> } | null };

export type KeyRowFragment = { id: string, name: string, kind: ApiKeyKind, hint: string, projectId: string | null, createdAt: string, lastUsedAt: string | null, expiresAt: string | null, revokedAt: string | null };

export type ProjectProvidersQueryVariables = Exact<{
  id: string | number;
}>;


export type ProjectProvidersQuery = { project: { id: string, providerKeys: Array<{ provider: string, baseUrl: string | null, lastFour: string | null, lastUsedAt: string | null, lastRefusal: string | null, lastRefusedAt: string | null, source: ProviderKeySource }> } | null };

export type CreateProjectMutationVariables = Exact<{
  input: CreateProjectInput;
}>;


export type CreateProjectMutation = { createProject: { project: { id: string, name: string } } | null };

export type UpdateProjectMutationVariables = Exact<{
  input: UpdateProjectInput;
}>;


export type UpdateProjectMutation = { updateProject: { project: { id: string, name: string, suspended: boolean } } | null };

export type CreateKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateKeyMutation = { createApiKey: { token: string, apiKey: { id: string, name: string } } | null };

export type RevokeKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeKeyMutation = { revokeApiKey: { apiKey: { id: string, name: string } } | null };

export type SetProviderMutationVariables = Exact<{
  input: SetProviderKeyInput;
}>;


export type SetProviderMutation = { setProviderKey: { provider: string } | null };

export type RemoveProviderMutationVariables = Exact<{
  input: RemoveProviderKeyInput;
}>;


export type RemoveProviderMutation = { removeProviderKey: { project: { id: string } } | null };

export type RotateSecretsMutationVariables = Exact<{
  id: string | number;
}>;


export type RotateSecretsMutation = { rotateProjectSecrets: { project: { id: string } } | null };

export type OverviewNowQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewNowQuery = { runStats: { byStatus: { queued: number, running: number, waiting: number, paused: number, needsAttention: number } }, runs: { nodes: Array<{ id: string, createdAt: string }> } };

export type OverviewHoldsQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewHoldsQuery = { flowState: { concurrency: { inUse: number, limit: number }, budgets: Array<{ app: string, workflow: string, cost: number | null, maxCost: number | null, tokens: number, maxTokens: number | null, paused: number }> }, runners: Array<{ live: boolean }>, approvalStats: { open: number, isCapped: boolean } };

export type OverviewSeriesQueryVariables = Exact<{
  since?: string | null | undefined;
  bucket?: number | null | undefined;
  maxAge?: number | null | undefined;
}>;


export type OverviewSeriesQuery = { runTimeseries: Array<{ bucket: string, total: number, p50Ms: number | null, p95Ms: number | null, byStatus: { succeeded: number, failed: number, cancelled: number, queued: number, running: number, waiting: number, paused: number, needsAttention: number } }> };

export type OverviewVersionsQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
  maxAge?: number | null | undefined;
}>;


export type OverviewVersionsQuery = { runStatsBy: Array<{ app: string, workflow: string | null, version: string | null, first: string, byStatus: { failed: number, succeeded: number } }> };

export type OverviewFailuresQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
  maxAge?: number | null | undefined;
}>;


export type OverviewFailuresQuery = { failureGroups: { examined: number, isCapped: boolean, groups: Array<{ errorGroup: string, count: number, workflows: number, first: string, last: string, error: { name: string | null, message: string } | null, sample: { id: string, workflow: string } | null }> } };

export type OverviewTroublesQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewTroublesQuery = { workflowPage: { nodes: Array<{ app: string, name: string, schedules: Array<{ cron: string, isStale: boolean }> | null }> }, webhookEndpointStats: Array<{ endpointId: string, failed: number, dead: number, exhausted: number, total: number }> };

export type PauseRunMutationVariables = Exact<{
  id: string | number;
}>;


export type PauseRunMutation = { pauseRun: { run: { id: string, status: RunStatus } } | null };

export type ResumeRunMutationVariables = Exact<{
  id: string | number;
}>;


export type ResumeRunMutation = { resumeRun: { run: { id: string, status: RunStatus } } | null };

export type CancelRunMutationVariables = Exact<{
  id: string | number;
}>;


export type CancelRunMutation = { cancelRun: { run: { id: string, status: RunStatus } } | null };

export type ReplayRunMutationVariables = Exact<{
  input: ReplayRunInput;
}>;


export type ReplayRunMutation = { replayRun: { run: { id: string } } | null };

export type RetryRunFromStepMutationVariables = Exact<{
  id: string | number;
  step: string;
}>;


export type RetryRunFromStepMutation = { retryRunFromStep: { run: { id: string } } | null };

export type RunPayloadsQueryVariables = Exact<{
  id: string | number;
}>;


export type RunPayloadsQuery = { run: { id: string, inputPayload: { bytes: number, head: string } | null, resultPayload: { bytes: number, head: string } | null } | null };

export type RunInputQueryVariables = Exact<{
  id: string | number;
}>;


export type RunInputQuery = { run: { id: string, inputPayload: { text: string } | null } | null };

export type WholeRunPayloadsQueryVariables = Exact<{
  id: string | number;
}>;


export type WholeRunPayloadsQuery = { run: { id: string, inputPayload: { text: string } | null, resultPayload: { text: string } | null } | null };

export type RunQueryVariables = Exact<{
  id: string | number;
}>;


export type RunQuery = { run: { id: string, seq: number, app: string, workflow: string, version: string, status: RunStatus, createdAt: string, startAt: string | null, startedAt: string | null, endedAt: string | null, expiresAt: string | null, durationMs: number | null, attempt: number, stepCount: number, tags: Readonly<Record<string, string>> | null, session: string | null, runner: string | null, triggerKind: TriggerKind, eventId: string | null, eventName: string | null, parentRunId: string | null, parentStep: string | null, replayOf: string | null, onFailureOf: string | null, error: { name: string | null, message: string, stack: string | null } | null, ai: { calls: number, tokens: number, cost: number | null } | null, waiting: Array<
      | WaitFields_ApprovalWait_Fragment
      | WaitFields_CeilingWait_Fragment
      | (
        { because:
          | WaitFields_ApprovalWait_Fragment
          | WaitFields_CeilingWait_Fragment
          | WaitFields_ChildWait_Fragment
          | WaitFields_ConcurrencyWait_Fragment
          | WaitFields_DispatcherWait_Fragment
          | WaitFields_EventWait_Fragment
          | WaitFields_InferenceWait_Fragment
          | WaitFields_PausedWait_Fragment
          | WaitFields_RetryWait_Fragment
          | WaitFields_RunnerWait_Fragment
          | WaitFields_SleepWait_Fragment
          | WaitFields_StartWait_Fragment
          | WaitFields_TransportWait_Fragment
         | null }
        & WaitFields_ChildWait_Fragment
      )
      | WaitFields_ConcurrencyWait_Fragment
      | WaitFields_DispatcherWait_Fragment
      | WaitFields_EventWait_Fragment
      | WaitFields_InferenceWait_Fragment
      | WaitFields_PausedWait_Fragment
      | WaitFields_RetryWait_Fragment
      | WaitFields_RunnerWait_Fragment
      | WaitFields_SleepWait_Fragment
      | WaitFields_StartWait_Fragment
      | WaitFields_TransportWait_Fragment
    >, diagnosis: { verdict: RunVerdict, summary: string, cancellation: { by: RunCanceller, actor: string | null, eventId: string | null, runId: string | null } | null } } | null };

type WaitFields_ApprovalWait_Fragment = { __typename: 'ApprovalWait', approvalId: string, tool: string, risk: string, isEscalated: boolean, onTimeout: ApprovalOnTimeout, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_CeilingWait_Fragment = { __typename: 'CeilingWait', limit: number, inUse: number, holders: Array<string>, ahead: number, isMoreAhead: boolean, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_ChildWait_Fragment = { __typename: 'ChildWait', childRunId: string, childStatus: RunStatus, path: Array<string>, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_ConcurrencyWait_Fragment = { __typename: 'ConcurrencyWait', key: string | null, limit: number, inUse: number, holders: Array<string>, ahead: number, isMoreAhead: boolean, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_DispatcherWait_Fragment = { __typename: 'DispatcherWait', alive: number, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_EventWait_Fragment = { __typename: 'EventWait', eventName: string, guard: string | null, kind: RunWaitKind, since: string | null, until: string | null, refused: Array<{ id: string, receivedAt: string }>, step: { index: number, attempt: number, name: string } | null };

type WaitFields_InferenceWait_Fragment = { __typename: 'InferenceWait', isCapped: boolean, isInFlight: boolean, nextSendAt: string, kind: RunWaitKind, since: string | null, until: string | null, lane: { provider: string, model: string, inFlight: number, limit: number, waiting: number, heldUntil: string | null, heldFor: string | null }, step: { index: number, attempt: number, name: string } | null };

type WaitFields_PausedWait_Fragment = { __typename: 'PausedWait', reason: PauseReason, actor: string | null, kind: RunWaitKind, since: string | null, until: string | null, budget: { maxCost: number | null, maxTokens: number | null, windowMs: number } | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_RetryWait_Fragment = { __typename: 'RetryWait', nextAttempt: number, maxAttempts: number | null, kind: RunWaitKind, since: string | null, until: string | null, error: { name: string | null, message: string } | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_RunnerWait_Fragment = { __typename: 'RunnerWait', app: string, workflow: string, runner: string | null, lack: RunnerLack, live: number, registered: number, inUse: number, limit: number, ahead: number, isMoreAhead: boolean, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_SleepWait_Fragment = { __typename: 'SleepWait', kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_StartWait_Fragment = { __typename: 'StartWait', policy: StartPolicy | null, key: string | null, kind: RunWaitKind, since: string | null, until: string | null, step: { index: number, attempt: number, name: string } | null };

type WaitFields_TransportWait_Fragment = { __typename: 'TransportWait', failures: number, maxFailures: number, kind: RunWaitKind, since: string | null, until: string | null, error: { message: string } | null, step: { index: number, attempt: number, name: string } | null };

export type WaitFieldsFragment =
  | WaitFields_ApprovalWait_Fragment
  | WaitFields_CeilingWait_Fragment
  | WaitFields_ChildWait_Fragment
  | WaitFields_ConcurrencyWait_Fragment
  | WaitFields_DispatcherWait_Fragment
  | WaitFields_EventWait_Fragment
  | WaitFields_InferenceWait_Fragment
  | WaitFields_PausedWait_Fragment
  | WaitFields_RetryWait_Fragment
  | WaitFields_RunnerWait_Fragment
  | WaitFields_SleepWait_Fragment
  | WaitFields_StartWait_Fragment
  | WaitFields_TransportWait_Fragment
;

export type RunRelationsQueryVariables = Exact<{
  id: string | number;
}>;


export type RunRelationsQuery = { run: { id: string, parent: RelatedRunFragment | null, root: RelatedRunFragment | null, original: RelatedRunFragment | null, failureHandler: RelatedRunFragment | null, startedRuns: Array<RelatedRunFragment>, children: Array<RelatedRunFragment>, replays: Array<RelatedRunFragment>, events: Array<{ id: string, name: string, receivedAt: string }>, approvals: Array<{ id: string, tool: string, status: ApprovalStatus, requestedAt: string }>, deliveries: Array<{ id: string, url: string, status: WebhookDeliveryStatus, createdAt: string }> } | null };

export type RelatedRunFragment = { id: string, app: string, workflow: string, status: RunStatus, createdAt: string, startedAt: string | null, durationMs: number | null };

export type RunHistoryQueryVariables = Exact<{
  id: string | number;
}>;


export type RunHistoryQuery = { controlActions: { nodes: Array<{ id: string, action: ControlActionKind, actor: string | null, createdAt: string, newRunId: string | null, detail: unknown }> } };

export type RunLogsQueryVariables = Exact<{
  id: string | number;
  after?: number | null | undefined;
  size?: number | null | undefined;
  levels?: Array<LogLevel> | LogLevel | null | undefined;
  q?: string | null | undefined;
  scope?: string | null | undefined;
}>;


export type RunLogsQuery = { run: { id: string, logPage: { nextBefore: number | null, nextFrom: number | null, nodes: Array<{ seq: number, ts: string, level: LogLevel, scope: string, attempt: number, message: string, fields: unknown }> } } | null };

export type RunFirstLogsQueryVariables = Exact<{
  id: string | number;
  after?: number | null | undefined;
  size?: number | null | undefined;
  levels?: Array<LogLevel> | LogLevel | null | undefined;
  q?: string | null | undefined;
  scope?: string | null | undefined;
}>;


export type RunFirstLogsQuery = { run: { id: string, logPage: { nextBefore: number | null, nextFrom: number | null, nodes: Array<{ seq: number, ts: string, level: LogLevel, scope: string, attempt: number, message: string, fields: unknown }> } } | null };

export type RunStepsQueryVariables = Exact<{
  id: string | number;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type RunStepsQuery = { run: { id: string, stepPage: { nodes: Array<{ index: number, attempt: number, name: string, kind: StepKind, status: StepStatus, startedAt: string, endedAt: string | null, durationMs: number | null, willRetry: boolean | null, nextAttemptAt: string | null, runAfter: string | null, eventName: string | null, childRunId: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type RunFramesSubscriptionVariables = Exact<{
  runId: string | number;
  from?: number | null | undefined;
  kinds?: Array<FrameKind> | FrameKind | null | undefined;
}>;


export type RunFramesSubscription = { runFrames: { seq: number, kind: FrameKind, index: number | null, attempt: number | null, step: string | null, status: FrameStatus | null, ts: string, durationMs: number | null, willRetry: boolean | null, nextAttemptAt: string | null } };

export type WholeStepPayloadsQueryVariables = Exact<{
  id: string | number;
  index: number;
  attempt: number;
}>;


export type WholeStepPayloadsQuery = { run: { id: string, stepAt: { id: string, inputPayload: { text: string } | null, outputPayload: { text: string } | null } | null } | null };

export type RunStepQueryVariables = Exact<{
  id: string | number;
  index: number;
}>;


export type RunStepQuery = { run: { id: string, stepPage: { nodes: Array<{ index: number, attempt: number, name: string, kind: StepKind, status: StepStatus, startedAt: string, endedAt: string | null, durationMs: number | null, willRetry: boolean | null, nextAttemptAt: string | null, runAfter: string | null, eventName: string | null, childRunId: string | null, eventIf: string | null, ai: unknown, inputPayload: { bytes: number, head: string } | null, outputPayload: { bytes: number, head: string } | null, error: { name: string | null, message: string, stack: string | null } | null, approval: { id: string, tool: string, status: ApprovalStatus } | null, delivery: { id: string, status: WebhookDeliveryStatus, url: string } | null, emittedEvent: { id: string, name: string } | null }> } } | null };

export type ChildStepsQueryVariables = Exact<{
  id: string | number;
}>;


export type ChildStepsQuery = { run: { id: string, status: RunStatus, stepPage: { nodes: Array<{ index: number, attempt: number, name: string, kind: StepKind, status: StepStatus, startedAt: string, endedAt: string | null, durationMs: number | null, willRetry: boolean | null, nextAttemptAt: string | null, childRunId: string | null }>, pageInfo: { hasNextPage: boolean } } } | null };

export type StepAttemptsQueryVariables = Exact<{
  id: string | number;
  index: number;
}>;


export type StepAttemptsQuery = { run: { id: string, status: RunStatus, stepPage: { nodes: Array<{ attempt: number, error: { name: string | null, message: string } | null }> } } | null };

export type RunnersQueryVariables = Exact<{
  app?: string | null | undefined;
}>;


export type RunnersQuery = { runners: Array<RunnerRowFragment> };

export type RunnerRowFragment = { id: string, app: string, runnerId: string, live: boolean, lastSeenAt: string, sdkName: string | null, version: string | null, runtime: string | null, framework: string | null, language: string | null, region: string | null, maxInFlight: number, inFlight: number | null, transport: RunnerTransport, registeredAt: string, workflows: Array<string>, url: string };

export type AppsOfRunnersQueryVariables = Exact<{ [key: string]: never; }>;


export type AppsOfRunnersQuery = { appPage: { nodes: Array<{ name: string }> } };

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

export type RunStatusChangesSubscriptionVariables = Exact<{
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type RunStatusChangesSubscription = { runStatusChanges: { cursor: string, isGap: boolean, changes: Array<{ runId: string, status: RunStatus, ts: string }> } };

export type SessionsQueryVariables = Exact<{
  app?: string | null | undefined;
  since?: string | null | undefined;
  sort?: SessionSort | null | undefined;
  after?: string | null | undefined;
}>;


export type SessionsQuery = { sessionPage: { nodes: Array<{ session: string, runs: number, apps: Array<string>, workflows: Array<string>, firstRunAt: string, lastRunAt: string, aiCost: number | null, aiTokens: number | null, byStatus: { queued: number, running: number, waiting: number, paused: number, needsAttention: number, succeeded: number, failed: number, cancelled: number } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SessionHeadQueryVariables = Exact<{
  id: string | number;
}>;


export type SessionHeadQuery = { session: { session: string, runs: number, apps: Array<string>, workflows: Array<string>, firstRunAt: string, lastRunAt: string, aiCost: number | null, aiTokens: number | null } | null };

export type SessionRunsQueryVariables = Exact<{
  session: string;
  after?: string | null | undefined;
}>;


export type SessionRunsQuery = { runs: { nodes: Array<{ id: string, app: string, workflow: string, status: RunStatus, createdAt: string, durationMs: number | null, startedAt: string | null, ai: { calls: number, tokens: number, cost: number | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AiStepsQueryVariables = Exact<{
  id: string | number;
}>;


export type AiStepsQuery = { run: { id: string, stepPage: { nodes: Array<{ index: number, attempt: number, name: string, status: StepStatus, durationMs: number | null, ai: unknown }>, pageInfo: { hasNextPage: boolean } } } | null };

export type SettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type SettingsQuery = { viewer: { kind: ViewerKind, name: string, actor: string | null, key: { hint: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null } | null, project: { id: string, name: string, suspended: boolean, concurrencyCeiling: number, createdAt: string } | null }, service: { version: string, now: string, limits: { answerObjects: number, bulkRuns: number, dedupeMs: number, eventsPerCall: number, jsonDepth: number, nameLength: number, noRunnerMs: number, pageBytes: number, readMs: number, requestsPerKey: number, tags: number } } };

export type WebhookSourceDeliveriesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  source?: string | number | null | undefined;
  status?: WebhookSourceDeliveryStatus | null | undefined;
}>;


export type WebhookSourceDeliveriesQuery = { webhookSourceDeliveries: { nodes: Array<{ id: string, status: WebhookSourceDeliveryStatus, failureReason: WebhookFailureReason | null, createdAt: string, eventId: string | null, runId: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type WebhookSourceDeliveryQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookSourceDeliveryQuery = { webhookSourceDelivery: { id: string, source: string, status: WebhookSourceDeliveryStatus, failureReason: WebhookFailureReason | null, createdAt: string, eventId: string | null, runId: string | null, requestHeaders: unknown, attempts: Array<{ id: string, trigger: WebhookSourceAttemptTrigger, status: WebhookSourceDeliveryStatus, actor: string | null, createdAt: string, eventId: string | null, runId: string | null }> } | null };

export type WebhookSourceDeliveryBodyQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookSourceDeliveryBodyQuery = { webhookSourceDelivery: { body: string | null, bodyEncoding: string | null } | null };

export type ReplaySourceDeliveryMutationVariables = Exact<{
  input: ReplaySourceDeliveryInput;
}>;


export type ReplaySourceDeliveryMutation = { replaySourceDelivery: { status: WebhookSourceDeliveryStatus } | null };

export type WebhookSourcesQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookSourcesQuery = { webhookSources: { nodes: Array<{ id: string, name: string | null, eventName: string, app: string | null, targetApp: string | null, scheme: WebhookSourceScheme, enabled: boolean, createdAt: string }> } };

export type WebhookSourceQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookSourceQuery = { webhookSource: { id: string, name: string | null, eventName: string, app: string | null, targetApp: string | null, scheme: WebhookSourceScheme, dedupeKey: string | null, exposeHeaders: Array<string>, handshake: WebhookHandshake | null, enabled: boolean, createdAt: string, updatedAt: string, previousSecretUntil: string | null } | null };

export type WebhookSourceAddressQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookSourceAddressQuery = { webhookSource: { receiveUrl: string | null } | null };

export type CreateWebhookSourceMutationVariables = Exact<{
  input: CreateWebhookSourceInput;
}>;


export type CreateWebhookSourceMutation = { createWebhookSource: { secret: string, webhookSource: { id: string } } | null };

export type UpdateWebhookSourceMutationVariables = Exact<{
  input: UpdateWebhookSourceInput;
}>;


export type UpdateWebhookSourceMutation = { updateWebhookSource: { secret: string | null, webhookSource: { id: string, enabled: boolean } } | null };

export type DeleteWebhookSourceMutationVariables = Exact<{
  input: DeleteWebhookSourceInput;
}>;


export type DeleteWebhookSourceMutation = { deleteWebhookSource: { webhookSource: { id: string } } | null };

export type WebhookDeliveriesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  endpointId?: string | number | null | undefined;
  eventKind?: WebhookDeliveryKind | null | undefined;
  statuses?: Array<WebhookDeliveryStatus> | WebhookDeliveryStatus | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  app?: string | null | undefined;
  runId?: string | number | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { nodes: Array<{ id: string, url: string, app: string, eventKind: WebhookDeliveryKind, status: WebhookDeliveryStatus, isTest: boolean | null, createdAt: string, attemptCount: number, maxAttempts: number, lastStatusCode: number | null, nextAttemptAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type WebhookDeliveryQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookDeliveryQuery = { webhookDelivery: { id: string, url: string, app: string, endpointId: string | null, eventKind: WebhookDeliveryKind, status: WebhookDeliveryStatus, isTest: boolean | null, createdAt: string, updatedAt: string, attemptCount: number, maxAttempts: number, lastStatusCode: number | null, nextAttemptAt: string | null, sourceRunId: string | null, attempts: Array<{ id: string, attempt: number, createdAt: string, durationMs: number, outcome: WebhookAttemptOutcome, statusCode: number | null, error: string | null, requestHeaders: unknown, responseHeaders: unknown, responseSnippet: string | null }> } | null };

export type WebhookDeliveryPayloadQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookDeliveryPayloadQuery = { webhookDelivery: { payload: unknown } | null };

export type WebhookDeliveryChangedSubscriptionVariables = Exact<{
  endpointId?: string | number | null | undefined;
}>;


export type WebhookDeliveryChangedSubscription = { webhookDeliveryChanged: { id: string, status: WebhookDeliveryStatus } };

export type RedeliverWebhookMutationVariables = Exact<{
  input: RedeliverWebhookInput;
}>;


export type RedeliverWebhookMutation = { redeliverWebhook: { webhookDelivery: { id: string, status: WebhookDeliveryStatus } } | null };

export type RedeliverPreviewQueryVariables = Exact<{
  input: RedeliverWebhooksInput;
}>;


export type RedeliverPreviewQuery = { redeliverPreview: { count: number, matched: number, skipped: number, capped: boolean, until: string, byStatus: { pending: number, failed: number, exhausted: number, dead: number, succeeded: number }, sample: Array<{ id: string, status: WebhookDeliveryStatus, eventKind: WebhookDeliveryKind, url: string, createdAt: string }> } };

export type RedeliverWebhooksMutationVariables = Exact<{
  input: RedeliverWebhooksInput;
}>;


export type RedeliverWebhooksMutation = { redeliverWebhooks: { redelivered: number, matched: number, skipped: number, capped: boolean } | null };

export type WebhookEndpointsQueryVariables = Exact<{
  since?: string | null | undefined;
  bucket?: number | null | undefined;
}>;


export type WebhookEndpointsQuery = { webhookEndpoints: { nodes: Array<{ id: string, name: string | null, url: string, app: string | null, enabled: boolean, disabledAt: string | null }> }, webhookEndpointStats: Array<{ endpointId: string, total: number, attempts: number, failedAttempts: number, succeeded: number, p95Ms: number | null, lastAttemptAt: string | null, lastStatusCode: number | null, buckets: Array<{ bucket: string, attempts: number, failedAttempts: number, succeeded: number }> }> };

export type WebhookEndpointQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookEndpointQuery = { webhookEndpoint: { id: string, name: string | null, url: string, app: string | null, enabled: boolean, disabledAt: string | null, eventKinds: Array<WebhookEventKind>, scheme: WebhookEndpointScheme, createdAt: string, updatedAt: string, previousSecretUntil: string | null } | null };

export type WebhookEndpointStatsQueryVariables = Exact<{
  id: string | number;
  since?: string | null | undefined;
  bucket?: number | null | undefined;
}>;


export type WebhookEndpointStatsQuery = { webhookEndpointStats: Array<{ endpointId: string, total: number, attempts: number, failedAttempts: number, pending: number, failed: number, succeeded: number, exhausted: number, dead: number, p50Ms: number | null, p95Ms: number | null, lastAttemptAt: string | null, lastStatusCode: number | null, buckets: Array<{ bucket: string, attempts: number, failedAttempts: number, pending: number, failed: number, succeeded: number, exhausted: number, dead: number }> }> };

export type CreateWebhookEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateWebhookEndpointMutation = { createWebhookEndpoint: { secret: string, webhookEndpoint: { id: string, scheme: WebhookEndpointScheme } } | null };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateWebhookEndpointMutation = { updateWebhookEndpoint: { secret: string | null, webhookEndpoint: { id: string, enabled: boolean, scheme: WebhookEndpointScheme, previousSecretUntil: string | null } } | null };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  input: DeleteWebhookEndpointInput;
}>;


export type DeleteWebhookEndpointMutation = { deleteWebhookEndpoint: { webhookEndpoint: { id: string } } | null };

export type SendTestWebhookMutationVariables = Exact<{
  input: SendTestWebhookInput;
}>;


export type SendTestWebhookMutation = { sendTestWebhook: { webhookDelivery: { id: string } } | null };

export type SimulationQueryVariables = Exact<{
  app: string;
  workflow: string;
  flowControl?: unknown;
  concurrencyCeiling?: number | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type SimulationQuery = { simulateFlow: { since: string, until: string, isCapped: boolean, gates: Array<{ policy: string, withheld: number, delayed: number, medianMs: number, longestMs: number }>, starts: Array<{ at: string, outcome: SimulatedOutcome, simulatedRun: number | null, startedAt: string | null, activeMs: number, bufferedMs: number, spacedMs: number, queuedMs: number }> } };

export type WorkflowsQueryVariables = Exact<{
  app?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type WorkflowsQuery = { workflowPage: { nodes: Array<{ app: string, name: string, retiredAt: string | null, triggers: Array<{ event: string | null, cron: string | null, if: string | null }> | null, schedules: Array<{ cron: string, nextFireAt: string, isStale: boolean }> | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type WorkflowRatesQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
}>;


export type WorkflowRatesQuery = { runStatsBy: Array<{ app: string, workflow: string | null, total: number, byStatus: { failed: number, succeeded: number } }> };

export type WorkflowQueryVariables = Exact<{
  app: string;
  name: string;
}>;


export type WorkflowQuery = { workflow: { app: string, name: string, version: string, registeredAt: string, updatedAt: string, retiredAt: string | null, retiredBy: string | null, maxAttempts: number, backoff: Backoff, maxDuration: number | null, onFailure: boolean, triggers: Array<{ event: string | null, cron: string | null, if: string | null }> | null, cancelOn: Array<{ event: string, if: string | null }> | null, schedules: Array<{ cron: string, nextFireAt: string, lastFiredAt: string | null, isStale: boolean, upcoming: Array<string> }> | null, steps: Array<{ name: string, description: string | null, hidden: boolean | null }> | null, flowControl: { concurrency: { limit: number, key: string | null } | null, throttle: { limit: number, perMs: number, key: string | null } | null, rateLimit: { limit: number, perMs: number, key: string | null } | null, debounce: { periodMs: number, key: string | null } | null, batch: { maxSize: number, timeoutMs: number, key: string | null } | null, singleton: { key: string | null, mode: SingletonMode | null } | null, idempotency: { key: string | null, periodMs: number | null } | null, priority: { shiftMs: number } | null, cap: { maxCost: number | null, maxTokens: number | null } | null, budget: { maxCost: number | null, maxTokens: number | null, windowMs: number } | null, tokenThrottle: { tokens: number, perMs: number, key: string | null } | null } | null } | null };

export type WorkflowVersionsQueryVariables = Exact<{
  app: string;
  name: string;
}>;


export type WorkflowVersionsQuery = { workflow: { version: string, versions: Array<{ version: string, registeredAt: string }> } | null };

export type WorkflowDefinitionQueryVariables = Exact<{
  app: string;
  name: string;
  version: string;
  limit: number;
}>;


export type WorkflowDefinitionQuery = { workflow: { versions: Array<{ version: string, definition: { bytes: number, text: string } | null }> } | null };

export type WorkflowRunsQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
}>;


export type WorkflowRunsQuery = { runs: { nodes: Array<{ id: string, status: RunStatus, createdAt: string, startedAt: string | null, durationMs: number | null, version: string }> } };

export type LatestInputQueryVariables = Exact<{
  filter?: RunFilter | null | undefined;
}>;


export type LatestInputQuery = { runs: { nodes: Array<{ id: string, inputPayload: { text: string } | null }> } };

export type TriggerWorkflowMutationVariables = Exact<{
  input: TriggerWorkflowInput;
}>;


export type TriggerWorkflowMutation = { triggerWorkflow: { app: string, workflow: string, runId: string | null, existingRunId: string | null, deduped: boolean | null, dropped: boolean | null, skipped: boolean | null, debounced: boolean | null, batched: boolean | null } | null };

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
export const CandidateFragmentDoc = new TypedDocumentString(`
    fragment Candidate on Run {
  id
  status
  createdAt
  startedAt
  durationMs
}
    `, {"fragmentName":"Candidate"}) as unknown as TypedDocumentString<CandidateFragment, unknown>;
export const BudgetRowFragmentDoc = new TypedDocumentString(`
    fragment BudgetRow on FlowBudgetState {
  app
  workflow
  cost
  maxCost
  tokens
  maxTokens
  windowMs
  paused
  warnedAt
  exceededAt
  resumesAt
}
    `, {"fragmentName":"BudgetRow"}) as unknown as TypedDocumentString<BudgetRowFragment, unknown>;
export const KeyRowFragmentDoc = new TypedDocumentString(`
    fragment KeyRow on ApiKey {
  id
  name
  kind
  hint
  projectId
  createdAt
  lastUsedAt
  expiresAt
  revokedAt
}
    `, {"fragmentName":"KeyRow"}) as unknown as TypedDocumentString<KeyRowFragment, unknown>;
export const WaitFieldsFragmentDoc = new TypedDocumentString(`
    fragment WaitFields on RunWait {
  __typename
  kind
  since
  until
  step {
    index
    attempt
    name
  }
  ... on ConcurrencyWait {
    key
    limit
    inUse
    holders
    ahead
    isMoreAhead
  }
  ... on CeilingWait {
    limit
    inUse
    holders
    ahead
    isMoreAhead
  }
  ... on StartWait {
    policy
    key
  }
  ... on RunnerWait {
    app
    workflow
    runner
    lack
    live
    registered
    inUse
    limit
    ahead
    isMoreAhead
  }
  ... on TransportWait {
    failures
    maxFailures
    error {
      message
    }
  }
  ... on RetryWait {
    nextAttempt
    maxAttempts
    error {
      name
      message
    }
  }
  ... on EventWait {
    eventName
    guard
    refused {
      id
      receivedAt
    }
  }
  ... on ChildWait {
    childRunId
    childStatus
    path
  }
  ... on ApprovalWait {
    approvalId
    tool
    risk
    isEscalated
    onTimeout
  }
  ... on InferenceWait {
    isCapped
    isInFlight
    nextSendAt
    lane {
      provider
      model
      inFlight
      limit
      waiting
      heldUntil
      heldFor
    }
  }
  ... on PausedWait {
    reason
    actor
    budget {
      maxCost
      maxTokens
      windowMs
    }
  }
  ... on DispatcherWait {
    alive
  }
}
    `, {"fragmentName":"WaitFields"}) as unknown as TypedDocumentString<WaitFieldsFragment, unknown>;
export const RelatedRunFragmentDoc = new TypedDocumentString(`
    fragment RelatedRun on Run {
  id
  app
  workflow
  status
  createdAt
  startedAt
  durationMs
}
    `, {"fragmentName":"RelatedRun"}) as unknown as TypedDocumentString<RelatedRunFragment, unknown>;
export const RunnerRowFragmentDoc = new TypedDocumentString(`
    fragment RunnerRow on Runner {
  id
  app
  runnerId
  live
  lastSeenAt
  sdkName
  version
  runtime
  framework
  language
  region
  maxInFlight
  inFlight
  transport
  registeredAt
  workflows
  url
}
    `, {"fragmentName":"RunnerRow"}) as unknown as TypedDocumentString<RunnerRowFragment, unknown>;
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
export const KnownNamesDocument = new TypedDocumentString(`
    query KnownNames($app: String) {
  apps: suggestions(kind: APP, limit: 1000)
  workflows: suggestions(kind: WORKFLOW, app: $app, limit: 1000)
}
    `) as unknown as TypedDocumentString<KnownNamesQuery, KnownNamesQueryVariables>;
export const SuggestionsDocument = new TypedDocumentString(`
    query Suggestions($kind: SuggestionKind!, $key: String, $prefix: String, $limit: Int) {
  suggestions(kind: $kind, key: $key, prefix: $prefix, limit: $limit, maxAge: 5)
}
    `) as unknown as TypedDocumentString<SuggestionsQuery, SuggestionsQueryVariables>;
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
export const SpendDocument = new TypedDocumentString(`
    query Spend($app: String, $workflow: String, $model: String, $since: DateTime!, $bucket: Int!) {
  aiSpend(
    app: $app
    workflow: $workflow
    model: $model
    since: $since
    bucket: $bucket
  ) {
    totals {
      calls
      cost
      tokens
      tokensIn
      tokensOut
      cacheEligible
      cacheHits
      unknown
      avgLatencyMs
    }
    byHourAndModel {
      bucket
      model
      calls
      tokens
      cost
    }
    byModel {
      model
      calls
      cost
      tokensIn
      tokensOut
      cacheEligible
      cacheHits
      unknown
    }
    byWorkflow {
      app
      workflow
      calls
      cost
      tokens
    }
  }
}
    `) as unknown as TypedDocumentString<SpendQuery, SpendQueryVariables>;
export const SpendersDocument = new TypedDocumentString(`
    query Spenders($app: String, $workflow: String, $model: String, $since: DateTime!) {
  aiSpend(app: $app, workflow: $workflow, model: $model, since: $since) {
    bySession(limit: 10) {
      session
      calls
      cost
      tokens
    }
    byRun(limit: 10) {
      runId
      calls
      cost
      tokens
      run {
        workflow
        status
        createdAt
      }
    }
  }
}
    `) as unknown as TypedDocumentString<SpendersQuery, SpendersQueryVariables>;
export const AiBudgetsDocument = new TypedDocumentString(`
    query AiBudgets($app: String, $workflow: String) {
  flowState(app: $app, workflow: $workflow) {
    budgets {
      app
      workflow
      cost
      maxCost
      tokens
      maxTokens
      windowMs
      paused
      warnedAt
      exceededAt
      resumesAt
    }
  }
}
    `) as unknown as TypedDocumentString<AiBudgetsQuery, AiBudgetsQueryVariables>;
export const ApprovalDocument = new TypedDocumentString(`
    query Approval($id: ID!) {
  approval(id: $id) {
    id
    app
    workflow
    tool
    summary
    context
    policy
    risk
    status
    step
    requestedAt
    expiresAt
    onTimeout
    escalatesTo
    decidedAt
    decidedBy
    decidedVia
    decisionReason
    runId
    argsPayload {
      bytes
    }
    editedArgsPayload {
      bytes
    }
  }
}
    `) as unknown as TypedDocumentString<ApprovalQuery, ApprovalQueryVariables>;
export const ApprovalArgsDocument = new TypedDocumentString(`
    query ApprovalArgs($id: ID!) {
  approval(id: $id) {
    argsPayload {
      text
    }
    editedArgsPayload {
      text
    }
  }
}
    `) as unknown as TypedDocumentString<ApprovalArgsQuery, ApprovalArgsQueryVariables>;
export const ApprovalRunDocument = new TypedDocumentString(`
    query ApprovalRun($id: ID!) {
  run(id: $id) {
    id
    status
    startedAt
    endedAt
    durationMs
    stepCount
    stepPage(first: 50) {
      nodes {
        id
        index
        attempt
        name
        status
        startedAt
        durationMs
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ApprovalRunQuery, ApprovalRunQueryVariables>;
export const DecideApprovalDocument = new TypedDocumentString(`
    mutation DecideApproval($input: DecideApprovalInput!) {
  decideApproval(input: $input) {
    approval {
      id
      status
    }
  }
}
    `) as unknown as TypedDocumentString<DecideApprovalMutation, DecideApprovalMutationVariables>;
export const ApprovalsDocument = new TypedDocumentString(`
    query Approvals($first: Int, $after: String, $isOpen: Boolean, $status: ApprovalStatus, $risk: String, $app: String, $workflow: String, $runId: ID, $sort: ApprovalSort) {
  approvals(
    first: $first
    after: $after
    isOpen: $isOpen
    status: $status
    risk: $risk
    app: $app
    workflow: $workflow
    runId: $runId
    sort: $sort
  ) {
    nodes {
      id
      app
      workflow
      tool
      summary
      risk
      status
      requestedAt
      expiresAt
      onTimeout
      escalatesTo
      decidedAt
      decidedBy
      decidedVia
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ApprovalsQuery, ApprovalsQueryVariables>;
export const ApprovalStatsDocument = new TypedDocumentString(`
    query ApprovalStats {
  approvalStats {
    open
    isCapped
    byRisk {
      risk
      count
    }
  }
}
    `) as unknown as TypedDocumentString<ApprovalStatsQuery, ApprovalStatsQueryVariables>;
export const ApprovalChangedDocument = new TypedDocumentString(`
    subscription ApprovalChanged {
  approvalChanged {
    id
    status
  }
}
    `) as unknown as TypedDocumentString<ApprovalChangedSubscription, ApprovalChangedSubscriptionVariables>;
export const ControlActionsDocument = new TypedDocumentString(`
    query ControlActions($first: Int, $after: String, $action: ControlActionKind, $actor: String, $runId: ID, $since: DateTime, $until: DateTime) {
  controlActions(
    first: $first
    after: $after
    action: $action
    actor: $actor
    runId: $runId
    since: $since
    until: $until
  ) {
    nodes {
      id
      action
      actor
      createdAt
      runId
      newRunId
      detail
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ControlActionsQuery, ControlActionsQueryVariables>;
export const ComparedRunDocument = new TypedDocumentString(`
    query ComparedRun($id: ID!) {
  run(id: $id) {
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
    stepCount
    tags
    session
    runner
    replayOf
    error {
      name
      message
    }
    inputPayload {
      bytes
      head(bytes: 256)
    }
    resultPayload {
      bytes
      head(bytes: 256)
    }
  }
}
    `) as unknown as TypedDocumentString<ComparedRunQuery, ComparedRunQueryVariables>;
export const ComparedStepsDocument = new TypedDocumentString(`
    query ComparedSteps($id: ID!, $first: Int, $after: String) {
  run(id: $id) {
    id
    stepPage(first: $first, after: $after) {
      nodes {
        index
        attempt
        name
        kind
        status
        startedAt
        durationMs
        inputPayload {
          bytes
          head(bytes: 256)
        }
        outputPayload {
          bytes
          head(bytes: 256)
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ComparedStepsQuery, ComparedStepsQueryVariables>;
export const OpenedStepDocument = new TypedDocumentString(`
    query OpenedStep($id: ID!, $index: Int!, $attempt: Int!) {
  run(id: $id) {
    id
    stepAt(index: $index, attempt: $attempt) {
      id
      error {
        name
        message
      }
      inputPayload {
        bytes
        head(bytes: 262144)
      }
      outputPayload {
        bytes
        head(bytes: 262144)
      }
    }
  }
}
    `) as unknown as TypedDocumentString<OpenedStepQuery, OpenedStepQueryVariables>;
export const OpenedRunDocument = new TypedDocumentString(`
    query OpenedRun($id: ID!) {
  run(id: $id) {
    id
    inputPayload {
      bytes
      head(bytes: 262144)
    }
    resultPayload {
      bytes
      head(bytes: 262144)
    }
  }
}
    `) as unknown as TypedDocumentString<OpenedRunQuery, OpenedRunQueryVariables>;
export const CompareCandidatesDocument = new TypedDocumentString(`
    query CompareCandidates($id: ID!, $workflow: String!, $app: String!) {
  run(id: $id) {
    id
    original {
      ...Candidate
    }
    replays(limit: 5) {
      ...Candidate
    }
  }
  runs(first: 6, filter: {app: $app, workflow: $workflow, statuses: [SUCCEEDED]}) {
    nodes {
      ...Candidate
    }
  }
}
    fragment Candidate on Run {
  id
  status
  createdAt
  startedAt
  durationMs
}`) as unknown as TypedDocumentString<CompareCandidatesQuery, CompareCandidatesQueryVariables>;
export const EventsDocument = new TypedDocumentString(`
    query Events($first: Int, $after: String, $name: String, $app: String, $session: String, $since: DateTime, $tags: [TagFilter!], $unmatchedOnly: Boolean) {
  events(
    first: $first
    after: $after
    name: $name
    app: $app
    session: $session
    since: $since
    tags: $tags
    unmatchedOnly: $unmatchedOnly
  ) {
    nodes {
      id
      name
      app
      receivedAt
      source
      suspended
      tags
      woke
      triggered {
        app
        workflow
        runId
        existingRunId
        deduped
        dropped
        skipped
        debounced
        batched
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<EventsQuery, EventsQueryVariables>;
export const EventIngestedDocument = new TypedDocumentString(`
    subscription EventIngested($name: String, $app: String) {
  eventIngested(name: $name, app: $app) {
    id
  }
}
    `) as unknown as TypedDocumentString<EventIngestedSubscription, EventIngestedSubscriptionVariables>;
export const EventDocument = new TypedDocumentString(`
    query Event($id: ID!) {
  event(id: $id) {
    id
    name
    app
    receivedAt
    source
    sourceRunId
    suspended
    tags
    session
    dedupeId
    targetApp
    runner
    headers
    woke
    wokeRuns
    dataPayload {
      bytes
      head(bytes: 262144)
    }
    triggered {
      app
      workflow
      runId
      existingRunId
      deduped
      dropped
      skipped
      debounced
      batched
    }
  }
}
    `) as unknown as TypedDocumentString<EventQuery, EventQueryVariables>;
export const EventDataDocument = new TypedDocumentString(`
    query EventData($id: ID!) {
  event(id: $id) {
    id
    name
    app
    tags
    session
    targetApp
    dataPayload {
      text
    }
  }
}
    `) as unknown as TypedDocumentString<EventDataQuery, EventDataQueryVariables>;
export const SendEventDocument = new TypedDocumentString(`
    mutation SendEvent($input: SendEventInput!) {
  sendEvent(input: $input) {
    eventId
    deduped
    suspended
    woke
    triggered {
      app
      workflow
      runId
      existingRunId
      deduped
      dropped
      skipped
      debounced
      batched
    }
  }
}
    `) as unknown as TypedDocumentString<SendEventMutation, SendEventMutationVariables>;
export const FlowDocument = new TypedDocumentString(`
    query Flow($app: String, $workflow: String) {
  flowState(app: $app, workflow: $workflow) {
    concurrency {
      inUse
      limit
    }
    scopes {
      app
      workflow
      key
      inUse
      limit
      waiting
    }
    throttle {
      app
      workflow
      key
      delayed
      nextStartAt
    }
    tokenThrottle {
      app
      workflow
      key
      available
      nextStartAt
    }
    buffers {
      app
      workflow
      key
      policy
      items
      since
      dueAt
      runner
    }
    singletons {
      app
      workflow
      runId
      since
    }
    budgets {
      ...BudgetRow
    }
    inference {
      provider
      model
      inFlight
      limit
      waiting
      heldFor
      heldUntil
      keyFrom
    }
  }
}
    fragment BudgetRow on FlowBudgetState {
  app
  workflow
  cost
  maxCost
  tokens
  maxTokens
  windowMs
  paused
  warnedAt
  exceededAt
  resumesAt
}`) as unknown as TypedDocumentString<FlowQuery, FlowQueryVariables>;
export const FlowShedDocument = new TypedDocumentString(`
    query FlowShed($app: String, $workflow: String, $since: DateTime!) {
  flowState(app: $app, workflow: $workflow) {
    shed(since: $since) {
      app
      workflow
      matched
      deduped
      skipped
      dropped
      debounced
      batched
    }
  }
}
    `) as unknown as TypedDocumentString<FlowShedQuery, FlowShedQueryVariables>;
export const ScopeRunsDocument = new TypedDocumentString(`
    query ScopeRuns($scope: ScopeFilter!) {
  runs(filter: {scope: $scope}, first: 50, sort: STATUS, dir: ASC) {
    nodes {
      id
      status
      workflow
      createdAt
      startedAt
      tags
    }
    pageInfo {
      hasNextPage
    }
  }
}
    `) as unknown as TypedDocumentString<ScopeRunsQuery, ScopeRunsQueryVariables>;
export const ProjectsDocument = new TypedDocumentString(`
    query Projects($after: ID) {
  projects(limit: 100, after: $after) {
    id
    name
    suspended
    concurrencyCeiling
    createdAt
  }
}
    `) as unknown as TypedDocumentString<ProjectsQuery, ProjectsQueryVariables>;
export const AllKeysDocument = new TypedDocumentString(`
    query AllKeys {
  apiKeys(limit: 1000) {
    id
    name
    kind
    hint
    projectId
    createdAt
    lastUsedAt
    expiresAt
    revokedAt
  }
}
    `) as unknown as TypedDocumentString<AllKeysQuery, AllKeysQueryVariables>;
export const OperatedProjectDocument = new TypedDocumentString(`
    query OperatedProject($id: ID!) {
  project(id: $id) {
    id
    name
    suspended
    concurrencyCeiling
    createdAt
  }
}
    `) as unknown as TypedDocumentString<OperatedProjectQuery, OperatedProjectQueryVariables>;
export const ProjectKeysDocument = new TypedDocumentString(`
    query ProjectKeys($id: ID!) {
  project(id: $id) {
    id
    apiKeys(limit: 1000) {
      ...KeyRow
    }
  }
}
    fragment KeyRow on ApiKey {
  id
  name
  kind
  hint
  projectId
  createdAt
  lastUsedAt
  expiresAt
  revokedAt
}`) as unknown as TypedDocumentString<ProjectKeysQuery, ProjectKeysQueryVariables>;
export const ProjectProvidersDocument = new TypedDocumentString(`
    query ProjectProviders($id: ID!) {
  project(id: $id) {
    id
    providerKeys {
      provider
      baseUrl
      lastFour
      lastUsedAt
      lastRefusal
      lastRefusedAt
      source
    }
  }
}
    `) as unknown as TypedDocumentString<ProjectProvidersQuery, ProjectProvidersQueryVariables>;
export const CreateProjectDocument = new TypedDocumentString(`
    mutation CreateProject($input: CreateProjectInput!) {
  createProject(input: $input) {
    project {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<CreateProjectMutation, CreateProjectMutationVariables>;
export const UpdateProjectDocument = new TypedDocumentString(`
    mutation UpdateProject($input: UpdateProjectInput!) {
  updateProject(input: $input) {
    project {
      id
      name
      suspended
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateProjectMutation, UpdateProjectMutationVariables>;
export const CreateKeyDocument = new TypedDocumentString(`
    mutation CreateKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    token
    apiKey {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<CreateKeyMutation, CreateKeyMutationVariables>;
export const RevokeKeyDocument = new TypedDocumentString(`
    mutation RevokeKey($id: ID!) {
  revokeApiKey(input: {id: $id}) {
    apiKey {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const SetProviderDocument = new TypedDocumentString(`
    mutation SetProvider($input: SetProviderKeyInput!) {
  setProviderKey(input: $input) {
    provider
  }
}
    `) as unknown as TypedDocumentString<SetProviderMutation, SetProviderMutationVariables>;
export const RemoveProviderDocument = new TypedDocumentString(`
    mutation RemoveProvider($input: RemoveProviderKeyInput!) {
  removeProviderKey(input: $input) {
    project {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RemoveProviderMutation, RemoveProviderMutationVariables>;
export const RotateSecretsDocument = new TypedDocumentString(`
    mutation RotateSecrets($id: ID!) {
  rotateProjectSecrets(input: {projectId: $id}) {
    project {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RotateSecretsMutation, RotateSecretsMutationVariables>;
export const OverviewNowDocument = new TypedDocumentString(`
    query OverviewNow {
  runStats(
    filter: {statuses: [QUEUED, RUNNING, WAITING, PAUSED, NEEDS_ATTENTION]}
    maxAge: 4
  ) {
    byStatus {
      queued
      running
      waiting
      paused
      needsAttention
    }
  }
  runs(first: 1, filter: {statuses: [QUEUED]}, sort: STARTED, dir: ASC) {
    nodes {
      id
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<OverviewNowQuery, OverviewNowQueryVariables>;
export const OverviewHoldsDocument = new TypedDocumentString(`
    query OverviewHolds {
  flowState {
    concurrency {
      inUse
      limit
    }
    budgets {
      app
      workflow
      cost
      maxCost
      tokens
      maxTokens
      paused
    }
  }
  runners {
    live
  }
  approvalStats {
    open
    isCapped
  }
}
    `) as unknown as TypedDocumentString<OverviewHoldsQuery, OverviewHoldsQueryVariables>;
export const OverviewSeriesDocument = new TypedDocumentString(`
    query OverviewSeries($since: DateTime, $bucket: Int, $maxAge: Int) {
  runTimeseries(since: $since, bucket: $bucket, maxAge: $maxAge) {
    bucket
    total
    p50Ms
    p95Ms
    byStatus {
      succeeded
      failed
      cancelled
      queued
      running
      waiting
      paused
      needsAttention
    }
  }
}
    `) as unknown as TypedDocumentString<OverviewSeriesQuery, OverviewSeriesQueryVariables>;
export const OverviewVersionsDocument = new TypedDocumentString(`
    query OverviewVersions($filter: RunFilter, $maxAge: Int) {
  runStatsBy(by: VERSION, filter: $filter, limit: 1000, maxAge: $maxAge) {
    app
    workflow
    version
    first
    byStatus {
      failed
      succeeded
    }
  }
}
    `) as unknown as TypedDocumentString<OverviewVersionsQuery, OverviewVersionsQueryVariables>;
export const OverviewFailuresDocument = new TypedDocumentString(`
    query OverviewFailures($filter: RunFilter, $maxAge: Int) {
  failureGroups(filter: $filter, limit: 10, maxAge: $maxAge) {
    examined
    isCapped
    groups {
      errorGroup
      count
      workflows
      first
      last
      error {
        name
        message
      }
      sample {
        id
        workflow
      }
    }
  }
}
    `) as unknown as TypedDocumentString<OverviewFailuresQuery, OverviewFailuresQueryVariables>;
export const OverviewTroublesDocument = new TypedDocumentString(`
    query OverviewTroubles {
  workflowPage(first: 200) {
    nodes {
      app
      name
      schedules {
        cron
        isStale
      }
    }
  }
  webhookEndpointStats {
    endpointId
    failed
    dead
    exhausted
    total
  }
}
    `) as unknown as TypedDocumentString<OverviewTroublesQuery, OverviewTroublesQueryVariables>;
export const PauseRunDocument = new TypedDocumentString(`
    mutation PauseRun($id: ID!) {
  pauseRun(input: {runId: $id}) {
    run {
      id
      status
    }
  }
}
    `) as unknown as TypedDocumentString<PauseRunMutation, PauseRunMutationVariables>;
export const ResumeRunDocument = new TypedDocumentString(`
    mutation ResumeRun($id: ID!) {
  resumeRun(input: {runId: $id}) {
    run {
      id
      status
    }
  }
}
    `) as unknown as TypedDocumentString<ResumeRunMutation, ResumeRunMutationVariables>;
export const CancelRunDocument = new TypedDocumentString(`
    mutation CancelRun($id: ID!) {
  cancelRun(input: {runId: $id}) {
    run {
      id
      status
    }
  }
}
    `) as unknown as TypedDocumentString<CancelRunMutation, CancelRunMutationVariables>;
export const ReplayRunDocument = new TypedDocumentString(`
    mutation ReplayRun($input: ReplayRunInput!) {
  replayRun(input: $input) {
    run {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<ReplayRunMutation, ReplayRunMutationVariables>;
export const RetryRunFromStepDocument = new TypedDocumentString(`
    mutation RetryRunFromStep($id: ID!, $step: String!) {
  retryRunFromStep(input: {runId: $id, step: $step}) {
    run {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RetryRunFromStepMutation, RetryRunFromStepMutationVariables>;
export const RunPayloadsDocument = new TypedDocumentString(`
    query RunPayloads($id: ID!) {
  run(id: $id) {
    id
    inputPayload {
      bytes
      head(bytes: 262144)
    }
    resultPayload {
      bytes
      head(bytes: 262144)
    }
  }
}
    `) as unknown as TypedDocumentString<RunPayloadsQuery, RunPayloadsQueryVariables>;
export const RunInputDocument = new TypedDocumentString(`
    query RunInput($id: ID!) {
  run(id: $id) {
    id
    inputPayload {
      text
    }
  }
}
    `) as unknown as TypedDocumentString<RunInputQuery, RunInputQueryVariables>;
export const WholeRunPayloadsDocument = new TypedDocumentString(`
    query WholeRunPayloads($id: ID!) {
  run(id: $id) {
    id
    inputPayload {
      text
    }
    resultPayload {
      text
    }
  }
}
    `) as unknown as TypedDocumentString<WholeRunPayloadsQuery, WholeRunPayloadsQueryVariables>;
export const RunDocument = new TypedDocumentString(`
    query Run($id: ID!) {
  run(id: $id) {
    id
    seq
    app
    workflow
    version
    status
    createdAt
    startAt
    startedAt
    endedAt
    expiresAt
    durationMs
    attempt
    stepCount
    tags
    session
    runner
    triggerKind
    eventId
    eventName
    parentRunId
    parentStep
    replayOf
    onFailureOf
    error {
      name
      message
      stack
    }
    ai {
      calls
      tokens
      cost
    }
    waiting {
      ...WaitFields
      ... on ChildWait {
        because {
          ...WaitFields
        }
      }
    }
    diagnosis {
      verdict
      summary
      cancellation {
        by
        actor
        eventId
        runId
      }
    }
  }
}
    fragment WaitFields on RunWait {
  __typename
  kind
  since
  until
  step {
    index
    attempt
    name
  }
  ... on ConcurrencyWait {
    key
    limit
    inUse
    holders
    ahead
    isMoreAhead
  }
  ... on CeilingWait {
    limit
    inUse
    holders
    ahead
    isMoreAhead
  }
  ... on StartWait {
    policy
    key
  }
  ... on RunnerWait {
    app
    workflow
    runner
    lack
    live
    registered
    inUse
    limit
    ahead
    isMoreAhead
  }
  ... on TransportWait {
    failures
    maxFailures
    error {
      message
    }
  }
  ... on RetryWait {
    nextAttempt
    maxAttempts
    error {
      name
      message
    }
  }
  ... on EventWait {
    eventName
    guard
    refused {
      id
      receivedAt
    }
  }
  ... on ChildWait {
    childRunId
    childStatus
    path
  }
  ... on ApprovalWait {
    approvalId
    tool
    risk
    isEscalated
    onTimeout
  }
  ... on InferenceWait {
    isCapped
    isInFlight
    nextSendAt
    lane {
      provider
      model
      inFlight
      limit
      waiting
      heldUntil
      heldFor
    }
  }
  ... on PausedWait {
    reason
    actor
    budget {
      maxCost
      maxTokens
      windowMs
    }
  }
  ... on DispatcherWait {
    alive
  }
}`) as unknown as TypedDocumentString<RunQuery, RunQueryVariables>;
export const RunRelationsDocument = new TypedDocumentString(`
    query RunRelations($id: ID!) {
  run(id: $id) {
    id
    parent {
      ...RelatedRun
    }
    root {
      ...RelatedRun
    }
    original {
      ...RelatedRun
    }
    failureHandler {
      ...RelatedRun
    }
    startedRuns(limit: 100) {
      ...RelatedRun
    }
    children(limit: 100) {
      ...RelatedRun
    }
    replays(limit: 100) {
      ...RelatedRun
    }
    events(limit: 50) {
      id
      name
      receivedAt
    }
    approvals(limit: 50) {
      id
      tool
      status
      requestedAt
    }
    deliveries(limit: 50) {
      id
      url
      status
      createdAt
    }
  }
}
    fragment RelatedRun on Run {
  id
  app
  workflow
  status
  createdAt
  startedAt
  durationMs
}`) as unknown as TypedDocumentString<RunRelationsQuery, RunRelationsQueryVariables>;
export const RunHistoryDocument = new TypedDocumentString(`
    query RunHistory($id: ID!) {
  controlActions(runId: $id, first: 100) {
    nodes {
      id
      action
      actor
      createdAt
      newRunId
      detail
    }
  }
}
    `) as unknown as TypedDocumentString<RunHistoryQuery, RunHistoryQueryVariables>;
export const RunLogsDocument = new TypedDocumentString(`
    query RunLogs($id: ID!, $after: Int, $size: Int, $levels: [LogLevel!], $q: String, $scope: String) {
  run(id: $id) {
    id
    logPage(before: $after, last: $size, levels: $levels, q: $q, scope: $scope) {
      nextBefore
      nextFrom
      nodes {
        seq
        ts
        level
        scope
        attempt
        message
        fields
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RunLogsQuery, RunLogsQueryVariables>;
export const RunFirstLogsDocument = new TypedDocumentString(`
    query RunFirstLogs($id: ID!, $after: Int, $size: Int, $levels: [LogLevel!], $q: String, $scope: String) {
  run(id: $id) {
    id
    logPage(from: $after, limit: $size, levels: $levels, q: $q, scope: $scope) {
      nextBefore
      nextFrom
      nodes {
        seq
        ts
        level
        scope
        attempt
        message
        fields
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RunFirstLogsQuery, RunFirstLogsQueryVariables>;
export const RunStepsDocument = new TypedDocumentString(`
    query RunSteps($id: ID!, $first: Int, $after: String) {
  run(id: $id) {
    id
    stepPage(first: $first, after: $after) {
      nodes {
        index
        attempt
        name
        kind
        status
        startedAt
        endedAt
        durationMs
        willRetry
        nextAttemptAt
        runAfter
        eventName
        childRunId
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RunStepsQuery, RunStepsQueryVariables>;
export const RunFramesDocument = new TypedDocumentString(`
    subscription RunFrames($runId: ID!, $from: Int, $kinds: [FrameKind!]) {
  runFrames(runId: $runId, from: $from, kinds: $kinds) {
    seq
    kind
    index
    attempt
    step
    status
    ts
    durationMs
    willRetry
    nextAttemptAt
  }
}
    `) as unknown as TypedDocumentString<RunFramesSubscription, RunFramesSubscriptionVariables>;
export const WholeStepPayloadsDocument = new TypedDocumentString(`
    query WholeStepPayloads($id: ID!, $index: Int!, $attempt: Int!) {
  run(id: $id) {
    id
    stepAt(index: $index, attempt: $attempt) {
      id
      inputPayload {
        text
      }
      outputPayload {
        text
      }
    }
  }
}
    `) as unknown as TypedDocumentString<WholeStepPayloadsQuery, WholeStepPayloadsQueryVariables>;
export const RunStepDocument = new TypedDocumentString(`
    query RunStep($id: ID!, $index: Int!) {
  run(id: $id) {
    id
    stepPage(first: 100, index: $index) {
      nodes {
        index
        attempt
        name
        kind
        status
        startedAt
        endedAt
        durationMs
        willRetry
        nextAttemptAt
        runAfter
        eventName
        childRunId
        inputPayload {
          bytes
          head(bytes: 262144)
        }
        outputPayload {
          bytes
          head(bytes: 262144)
        }
        eventIf
        ai
        error {
          name
          message
          stack
        }
        approval {
          id
          tool
          status
        }
        delivery {
          id
          status
          url
        }
        emittedEvent {
          id
          name
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RunStepQuery, RunStepQueryVariables>;
export const ChildStepsDocument = new TypedDocumentString(`
    query ChildSteps($id: ID!) {
  run(id: $id) {
    id
    status
    stepPage(first: 100) {
      nodes {
        index
        attempt
        name
        kind
        status
        startedAt
        endedAt
        durationMs
        willRetry
        nextAttemptAt
        childRunId
      }
      pageInfo {
        hasNextPage
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChildStepsQuery, ChildStepsQueryVariables>;
export const StepAttemptsDocument = new TypedDocumentString(`
    query StepAttempts($id: ID!, $index: Int!) {
  run(id: $id) {
    id
    status
    stepPage(first: 1000, index: $index) {
      nodes {
        attempt
        error {
          name
          message
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<StepAttemptsQuery, StepAttemptsQueryVariables>;
export const RunnersDocument = new TypedDocumentString(`
    query Runners($app: String) {
  runners(app: $app) {
    ...RunnerRow
  }
}
    fragment RunnerRow on Runner {
  id
  app
  runnerId
  live
  lastSeenAt
  sdkName
  version
  runtime
  framework
  language
  region
  maxInFlight
  inFlight
  transport
  registeredAt
  workflows
  url
}`) as unknown as TypedDocumentString<RunnersQuery, RunnersQueryVariables>;
export const AppsOfRunnersDocument = new TypedDocumentString(`
    query AppsOfRunners {
  appPage(first: 100) {
    nodes {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<AppsOfRunnersQuery, AppsOfRunnersQueryVariables>;
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
export const RunStatusChangesDocument = new TypedDocumentString(`
    subscription RunStatusChanges($app: String, $workflow: String, $after: String) {
  runStatusChanges(app: $app, workflow: $workflow, after: $after, intervalMs: 100) {
    changes {
      runId
      status
      ts
    }
    cursor
    isGap
  }
}
    `) as unknown as TypedDocumentString<RunStatusChangesSubscription, RunStatusChangesSubscriptionVariables>;
export const SessionsDocument = new TypedDocumentString(`
    query Sessions($app: String, $since: DateTime, $sort: SessionSort, $after: String) {
  sessionPage(app: $app, since: $since, sort: $sort, after: $after, first: 50) {
    nodes {
      session
      runs
      apps
      workflows
      firstRunAt
      lastRunAt
      aiCost
      aiTokens
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
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<SessionsQuery, SessionsQueryVariables>;
export const SessionHeadDocument = new TypedDocumentString(`
    query SessionHead($id: ID!) {
  session(id: $id) {
    session
    runs
    apps
    workflows
    firstRunAt
    lastRunAt
    aiCost
    aiTokens
  }
}
    `) as unknown as TypedDocumentString<SessionHeadQuery, SessionHeadQueryVariables>;
export const SessionRunsDocument = new TypedDocumentString(`
    query SessionRuns($session: String!, $after: String) {
  runs(
    filter: {session: $session}
    sort: STARTED
    dir: ASC
    first: 50
    after: $after
  ) {
    nodes {
      id
      app
      workflow
      status
      createdAt
      durationMs
      startedAt
      ai {
        calls
        tokens
        cost
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<SessionRunsQuery, SessionRunsQueryVariables>;
export const AiStepsDocument = new TypedDocumentString(`
    query AiSteps($id: ID!) {
  run(id: $id) {
    id
    stepPage(first: 1000) {
      nodes {
        index
        attempt
        name
        status
        durationMs
        ai
      }
      pageInfo {
        hasNextPage
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AiStepsQuery, AiStepsQueryVariables>;
export const SettingsDocument = new TypedDocumentString(`
    query Settings {
  viewer {
    kind
    name
    actor
    key {
      hint
      createdAt
      expiresAt
      lastUsedAt
    }
    project {
      id
      name
      suspended
      concurrencyCeiling
      createdAt
    }
  }
  service {
    version
    now
    limits {
      answerObjects
      bulkRuns
      dedupeMs
      eventsPerCall
      jsonDepth
      nameLength
      noRunnerMs
      pageBytes
      readMs
      requestsPerKey
      tags
    }
  }
}
    `) as unknown as TypedDocumentString<SettingsQuery, SettingsQueryVariables>;
export const WebhookSourceDeliveriesDocument = new TypedDocumentString(`
    query WebhookSourceDeliveries($first: Int, $after: String, $source: ID, $status: WebhookSourceDeliveryStatus) {
  webhookSourceDeliveries(
    first: $first
    after: $after
    source: $source
    status: $status
  ) {
    nodes {
      id
      status
      failureReason
      createdAt
      eventId
      runId
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookSourceDeliveriesQuery, WebhookSourceDeliveriesQueryVariables>;
export const WebhookSourceDeliveryDocument = new TypedDocumentString(`
    query WebhookSourceDelivery($id: ID!) {
  webhookSourceDelivery(id: $id) {
    id
    source
    status
    failureReason
    createdAt
    eventId
    runId
    requestHeaders
    attempts {
      id
      trigger
      status
      actor
      createdAt
      eventId
      runId
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookSourceDeliveryQuery, WebhookSourceDeliveryQueryVariables>;
export const WebhookSourceDeliveryBodyDocument = new TypedDocumentString(`
    query WebhookSourceDeliveryBody($id: ID!) {
  webhookSourceDelivery(id: $id) {
    body
    bodyEncoding
  }
}
    `) as unknown as TypedDocumentString<WebhookSourceDeliveryBodyQuery, WebhookSourceDeliveryBodyQueryVariables>;
export const ReplaySourceDeliveryDocument = new TypedDocumentString(`
    mutation ReplaySourceDelivery($input: ReplaySourceDeliveryInput!) {
  replaySourceDelivery(input: $input) {
    status
  }
}
    `) as unknown as TypedDocumentString<ReplaySourceDeliveryMutation, ReplaySourceDeliveryMutationVariables>;
export const WebhookSourcesDocument = new TypedDocumentString(`
    query WebhookSources {
  webhookSources(first: 1000) {
    nodes {
      id
      name
      eventName
      app
      targetApp
      scheme
      enabled
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookSourcesQuery, WebhookSourcesQueryVariables>;
export const WebhookSourceDocument = new TypedDocumentString(`
    query WebhookSource($id: ID!) {
  webhookSource(id: $id) {
    id
    name
    eventName
    app
    targetApp
    scheme
    dedupeKey
    exposeHeaders
    handshake
    enabled
    createdAt
    updatedAt
    previousSecretUntil
  }
}
    `) as unknown as TypedDocumentString<WebhookSourceQuery, WebhookSourceQueryVariables>;
export const WebhookSourceAddressDocument = new TypedDocumentString(`
    query WebhookSourceAddress($id: ID!) {
  webhookSource(id: $id) {
    receiveUrl
  }
}
    `) as unknown as TypedDocumentString<WebhookSourceAddressQuery, WebhookSourceAddressQueryVariables>;
export const CreateWebhookSourceDocument = new TypedDocumentString(`
    mutation CreateWebhookSource($input: CreateWebhookSourceInput!) {
  createWebhookSource(input: $input) {
    secret
    webhookSource {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<CreateWebhookSourceMutation, CreateWebhookSourceMutationVariables>;
export const UpdateWebhookSourceDocument = new TypedDocumentString(`
    mutation UpdateWebhookSource($input: UpdateWebhookSourceInput!) {
  updateWebhookSource(input: $input) {
    secret
    webhookSource {
      id
      enabled
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateWebhookSourceMutation, UpdateWebhookSourceMutationVariables>;
export const DeleteWebhookSourceDocument = new TypedDocumentString(`
    mutation DeleteWebhookSource($input: DeleteWebhookSourceInput!) {
  deleteWebhookSource(input: $input) {
    webhookSource {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<DeleteWebhookSourceMutation, DeleteWebhookSourceMutationVariables>;
export const WebhookDeliveriesDocument = new TypedDocumentString(`
    query WebhookDeliveries($first: Int, $after: String, $endpointId: ID, $eventKind: WebhookDeliveryKind, $statuses: [WebhookDeliveryStatus!], $since: DateTime, $until: DateTime, $app: String, $runId: ID) {
  webhookDeliveries(
    first: $first
    after: $after
    endpointId: $endpointId
    eventKind: $eventKind
    statuses: $statuses
    since: $since
    until: $until
    app: $app
    runId: $runId
  ) {
    nodes {
      id
      url
      app
      eventKind
      status
      isTest
      createdAt
      attemptCount
      maxAttempts
      lastStatusCode
      nextAttemptAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookDeliveryDocument = new TypedDocumentString(`
    query WebhookDelivery($id: ID!) {
  webhookDelivery(id: $id) {
    id
    url
    app
    endpointId
    eventKind
    status
    isTest
    createdAt
    updatedAt
    attemptCount
    maxAttempts
    lastStatusCode
    nextAttemptAt
    sourceRunId
    attempts(limit: 100) {
      id
      attempt
      createdAt
      durationMs
      outcome
      statusCode
      error
      requestHeaders
      responseHeaders
      responseSnippet
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;
export const WebhookDeliveryPayloadDocument = new TypedDocumentString(`
    query WebhookDeliveryPayload($id: ID!) {
  webhookDelivery(id: $id) {
    payload
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveryPayloadQuery, WebhookDeliveryPayloadQueryVariables>;
export const WebhookDeliveryChangedDocument = new TypedDocumentString(`
    subscription WebhookDeliveryChanged($endpointId: ID) {
  webhookDeliveryChanged(endpointId: $endpointId) {
    id
    status
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveryChangedSubscription, WebhookDeliveryChangedSubscriptionVariables>;
export const RedeliverWebhookDocument = new TypedDocumentString(`
    mutation RedeliverWebhook($input: RedeliverWebhookInput!) {
  redeliverWebhook(input: $input) {
    webhookDelivery {
      id
      status
    }
  }
}
    `) as unknown as TypedDocumentString<RedeliverWebhookMutation, RedeliverWebhookMutationVariables>;
export const RedeliverPreviewDocument = new TypedDocumentString(`
    query RedeliverPreview($input: RedeliverWebhooksInput!) {
  redeliverPreview(input: $input) {
    count
    matched
    skipped
    capped
    until
    byStatus {
      pending
      failed
      exhausted
      dead
      succeeded
    }
    sample {
      id
      status
      eventKind
      url
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<RedeliverPreviewQuery, RedeliverPreviewQueryVariables>;
export const RedeliverWebhooksDocument = new TypedDocumentString(`
    mutation RedeliverWebhooks($input: RedeliverWebhooksInput!) {
  redeliverWebhooks(input: $input) {
    redelivered
    matched
    skipped
    capped
  }
}
    `) as unknown as TypedDocumentString<RedeliverWebhooksMutation, RedeliverWebhooksMutationVariables>;
export const WebhookEndpointsDocument = new TypedDocumentString(`
    query WebhookEndpoints($since: DateTime, $bucket: Int) {
  webhookEndpoints(first: 1000) {
    nodes {
      id
      name
      url
      app
      enabled
      disabledAt
    }
  }
  webhookEndpointStats(since: $since, bucket: $bucket) {
    endpointId
    total
    attempts
    failedAttempts
    succeeded
    p95Ms
    lastAttemptAt
    lastStatusCode
    buckets {
      bucket
      attempts
      failedAttempts
      succeeded
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>;
export const WebhookEndpointDocument = new TypedDocumentString(`
    query WebhookEndpoint($id: ID!) {
  webhookEndpoint(id: $id) {
    id
    name
    url
    app
    enabled
    disabledAt
    eventKinds
    scheme
    createdAt
    updatedAt
    previousSecretUntil
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointQuery, WebhookEndpointQueryVariables>;
export const WebhookEndpointStatsDocument = new TypedDocumentString(`
    query WebhookEndpointStats($id: ID!, $since: DateTime, $bucket: Int) {
  webhookEndpointStats(endpointId: $id, since: $since, bucket: $bucket) {
    endpointId
    total
    attempts
    failedAttempts
    pending
    failed
    succeeded
    exhausted
    dead
    p50Ms
    p95Ms
    lastAttemptAt
    lastStatusCode
    buckets {
      bucket
      attempts
      failedAttempts
      pending
      failed
      succeeded
      exhausted
      dead
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointStatsQuery, WebhookEndpointStatsQueryVariables>;
export const CreateWebhookEndpointDocument = new TypedDocumentString(`
    mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    secret
    webhookEndpoint {
      id
      scheme
    }
  }
}
    `) as unknown as TypedDocumentString<CreateWebhookEndpointMutation, CreateWebhookEndpointMutationVariables>;
export const UpdateWebhookEndpointDocument = new TypedDocumentString(`
    mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) {
    secret
    webhookEndpoint {
      id
      enabled
      scheme
      previousSecretUntil
    }
  }
}
    `) as unknown as TypedDocumentString<UpdateWebhookEndpointMutation, UpdateWebhookEndpointMutationVariables>;
export const DeleteWebhookEndpointDocument = new TypedDocumentString(`
    mutation DeleteWebhookEndpoint($input: DeleteWebhookEndpointInput!) {
  deleteWebhookEndpoint(input: $input) {
    webhookEndpoint {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<DeleteWebhookEndpointMutation, DeleteWebhookEndpointMutationVariables>;
export const SendTestWebhookDocument = new TypedDocumentString(`
    mutation SendTestWebhook($input: SendTestWebhookInput!) {
  sendTestWebhook(input: $input) {
    webhookDelivery {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<SendTestWebhookMutation, SendTestWebhookMutationVariables>;
export const SimulationDocument = new TypedDocumentString(`
    query Simulation($app: String!, $workflow: String!, $flowControl: JSON, $concurrencyCeiling: Int, $since: DateTime, $until: DateTime) {
  simulateFlow(
    app: $app
    workflow: $workflow
    flowControl: $flowControl
    concurrencyCeiling: $concurrencyCeiling
    since: $since
    until: $until
  ) {
    since
    until
    isCapped
    gates {
      policy
      withheld
      delayed
      medianMs
      longestMs
    }
    starts {
      at
      outcome
      simulatedRun
      startedAt
      activeMs
      bufferedMs
      spacedMs
      queuedMs
    }
  }
}
    `) as unknown as TypedDocumentString<SimulationQuery, SimulationQueryVariables>;
export const WorkflowsDocument = new TypedDocumentString(`
    query Workflows($app: String, $first: Int, $after: String) {
  workflowPage(app: $app, first: $first, after: $after) {
    nodes {
      app
      name
      retiredAt
      triggers {
        event
        cron
        if
      }
      schedules {
        cron
        nextFireAt
        isStale
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<WorkflowsQuery, WorkflowsQueryVariables>;
export const WorkflowRatesDocument = new TypedDocumentString(`
    query WorkflowRates($filter: RunFilter) {
  runStatsBy(by: WORKFLOW, filter: $filter, limit: 1000) {
    app
    workflow
    total
    byStatus {
      failed
      succeeded
    }
  }
}
    `) as unknown as TypedDocumentString<WorkflowRatesQuery, WorkflowRatesQueryVariables>;
export const WorkflowDocument = new TypedDocumentString(`
    query Workflow($app: String!, $name: String!) {
  workflow(app: $app, name: $name) {
    app
    name
    version
    registeredAt
    updatedAt
    retiredAt
    retiredBy
    maxAttempts
    backoff
    maxDuration
    onFailure
    triggers {
      event
      cron
      if
    }
    cancelOn {
      event
      if
    }
    schedules {
      cron
      nextFireAt
      lastFiredAt
      isStale
      upcoming(count: 5)
    }
    steps {
      name
      description
      hidden
    }
    flowControl {
      concurrency {
        limit
        key
      }
      throttle {
        limit
        perMs
        key
      }
      rateLimit {
        limit
        perMs
        key
      }
      debounce {
        periodMs
        key
      }
      batch {
        maxSize
        timeoutMs
        key
      }
      singleton {
        key
        mode
      }
      idempotency {
        key
        periodMs
      }
      priority {
        shiftMs
      }
      cap {
        maxCost
        maxTokens
      }
      budget {
        maxCost
        maxTokens
        windowMs
      }
      tokenThrottle {
        tokens
        perMs
        key
      }
    }
  }
}
    `) as unknown as TypedDocumentString<WorkflowQuery, WorkflowQueryVariables>;
export const WorkflowVersionsDocument = new TypedDocumentString(`
    query WorkflowVersions($app: String!, $name: String!) {
  workflow(app: $app, name: $name) {
    version
    versions(limit: 50) {
      version
      registeredAt
    }
  }
}
    `) as unknown as TypedDocumentString<WorkflowVersionsQuery, WorkflowVersionsQueryVariables>;
export const WorkflowDefinitionDocument = new TypedDocumentString(`
    query WorkflowDefinition($app: String!, $name: String!, $version: String!, $limit: Int!) {
  workflow(app: $app, name: $name) {
    versions(from: $version, limit: $limit) {
      version
      definition {
        bytes
        text
      }
    }
  }
}
    `) as unknown as TypedDocumentString<WorkflowDefinitionQuery, WorkflowDefinitionQueryVariables>;
export const WorkflowRunsDocument = new TypedDocumentString(`
    query WorkflowRuns($filter: RunFilter) {
  runs(first: 10, filter: $filter) {
    nodes {
      id
      status
      createdAt
      startedAt
      durationMs
      version
    }
  }
}
    `) as unknown as TypedDocumentString<WorkflowRunsQuery, WorkflowRunsQueryVariables>;
export const LatestInputDocument = new TypedDocumentString(`
    query LatestInput($filter: RunFilter) {
  runs(first: 1, filter: $filter) {
    nodes {
      id
      inputPayload {
        text
      }
    }
  }
}
    `) as unknown as TypedDocumentString<LatestInputQuery, LatestInputQueryVariables>;
export const TriggerWorkflowDocument = new TypedDocumentString(`
    mutation TriggerWorkflow($input: TriggerWorkflowInput!) {
  triggerWorkflow(input: $input) {
    app
    workflow
    runId
    existingRunId
    deduped
    dropped
    skipped
    debounced
    batched
  }
}
    `) as unknown as TypedDocumentString<TriggerWorkflowMutation, TriggerWorkflowMutationVariables>;
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