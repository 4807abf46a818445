export type { AgentAnswer, AgentRequest, AgentTools } from './ai/agentStep.ts';
export type { AgentApproval, AgentTool } from './ai/agentTool.ts';
export type { AiOptions } from './ai/aiDefaults.ts';
export type { AiTools } from './ai/aiTools.ts';
export type { EmbedRequest } from './ai/embedStep.ts';
export type { Generated, GenerateRequest, GenerateTool } from './ai/generateStep.ts';
export type { InputOfSchema, JsonSchema, TypedSchema } from './ai/schema.ts';
export type { AiSpend, AiSpendFigures, AiSpendFilter, ProviderCheck } from './client/ai.ts';
export type { ApprovalFilter, Verdict } from './client/approvals.ts';
export type { EventFilter, EventMessage, EventStreamOptions } from './client/events.ts';
export type { ControlActionFilter, RunnerFilter, SessionFilter } from './client/lists.ts';
export type {
  BulkCancelFilter,
  BulkFilter,
  RunFilter,
  RunStatsFilter,
  RunTimeseriesFilter,
} from './client/runFilters.ts';
export type { LogOptions, RunWaitOptions } from './client/runs.ts';
export type {
  ApprovalWait,
  CeilingWait,
  ChildWait,
  ConcurrencyWait,
  DispatcherWait,
  EventWait,
  InferenceWait,
  PausedWait,
  RetryWait,
  RunDiagnosis,
  RunFailure,
  RunnerWait,
  RunWait,
  SleepWait,
  StartWait,
  TransportWait,
  WaitingStep,
} from './client/waits.ts';
export type {
  RedeliverCounts,
  RedeliverFilter,
  TestDelivery,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryFilter,
  WebhookDeliveryKind,
  WebhookDeliveryStatus,
} from './client/webhookDeliveries.ts';
export type {
  NewWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEventKind,
} from './client/webhookEndpoints.ts';
export type { SecretChange, SecretRotation, WithSecret } from './client/webhookSecrets.ts';
export type { NewWebhookSource, WebhookSource, WebhookSourceChange } from './client/webhookSources.ts';
export type { TriggerOptions, WorkflowAddress } from './client/workflows.ts';
export type { ClientOptions, LibraryLogger } from './config.ts';
export type { ConnectOptions } from './connect/connect.ts';
export type { Connection, ConnectionChange, ConnectionListener } from './connect/connection.ts';
export type { Duration } from './duration.ts';
export {
  BudgetError,
  type EventIssue,
  EventSchemaError,
  HoldfastApiError,
  HoldfastConfigError,
  HoldfastConnectError,
  HoldfastNetworkError,
  MaxTurnsError,
  NestedStepError,
  NonDeterminismError,
  NonRetriableError,
  NotJsonError,
  RetryAfterError,
  StepError,
  StepTimeoutError,
  WaitTimeoutError,
} from './errors.ts';
export type { StandardSchema } from './eventSchema.ts';
export { type EventType, type EventTypeOptions, eventType, type ReceivedEvent, staticSchema } from './eventType.ts';
export type { AiStepInfo } from './execute/aiStep.ts';
export type { ApprovalDecision, ApprovalOptions, ApprovalQuestion } from './execute/approvalStep.ts';
export type { ChildOptions } from './execute/childStep.ts';
export type { Logger } from './execute/passLog.ts';
export type { StepInfo, StepOptions } from './execute/runStep.ts';
export type { Score } from './execute/scoreStep.ts';
export type { EmitOptions, StepTools, WaitOptions } from './execute/stepTools.ts';
export type { WebhookOptions } from './execute/webhookStep.ts';
export type {
  BatchPolicy,
  BudgetPolicy,
  CapPolicy,
  ConcurrencyPolicy,
  DebouncePolicy,
  FlowControl,
  IdempotencyPolicy,
  PriorityPolicy,
  RatePolicy,
  SingletonPolicy,
  TokenThrottlePolicy,
} from './flowControl.ts';
export { Holdfast } from './holdfast.ts';
export type { Jsonify } from './json/jsonify.ts';
export type {
  AiAllowance,
  AiPrice,
  AiUsage,
  InferAnswer,
  InferFinish,
  InferMessage,
  InferPart,
  InferToolCall,
  InferToolChoice,
  InferUsage,
} from './protocol.ts';
export type { Approval } from './records/approvals.ts';
export type { BulkCancel, BulkReplay, ControlAction, ControlActionKind } from './records/control.ts';
export type { LoggedEvent, SentEvent, TriggerOutcome } from './records/events.ts';
export type { FlowState } from './records/flowState.ts';
export type { RegisteredApp, RegisteredRunner, RegisteredWorkflow } from './records/registry.ts';
export type {
  FinalStatus,
  FinishedRun,
  InferenceLane,
  PausedBy,
  Run,
  RunFrame,
  RunLogLine,
  RunStatus,
  RunStep,
  RunSummary,
  WaitingFor,
} from './records/runs.ts';
export type { Awaitable, ForkedRun, RunId, Triggered } from './records/starts.ts';
export type { RunBucket, RunStats, RunStatusCounts, Session } from './records/stats.ts';
export type { RequestLimit } from './requestLimit.ts';
export type { RegisterOptions, Registrar } from './serve/registrar.ts';
export { type FetchHandler, type ServedWorkflows, serve } from './serve/serve.ts';
export { signatureHeader, verifySignature } from './serve/signature.ts';
export { hashStepId } from './stepId.ts';
export type { CancelTrigger, CronTrigger, EventTrigger, Trigger } from './trigger.ts';
export type {
  AnyWorkflow,
  FailureContext,
  FailureHandler,
  Handler,
  HandlerContext,
  RunInfo,
  Workflow,
  WorkflowFailure,
  WorkflowOptions,
} from './workflow.ts';
