import { backoffs, logLevels } from '@holdfast/sdk/protocol';
import { approvalStatuses, decisionSurfaces, decisions, onTimeouts } from '../../engine/approvals/index.ts';
import { controlActions } from '../../engine/audit/index.ts';
import { frameKinds } from '../../engine/bus.ts';
import { keySources } from '../../engine/inference/index.ts';
import { lifecycleKinds } from '../../engine/lifecycle/index.ts';
import {
  runGroupings,
  runSorts,
  runStatuses,
  runStatusFilters,
  sortDirections,
  stepStatuses,
  suggestionKinds,
  timeseriesInstants,
  triggerKinds,
  waitKinds,
} from '../../engine/runs/index.ts';
import { signatureFaults } from '../../engine/signing/index.ts';
import { endpointSchemes, handshakes, sourceSchemes } from '../../engine/webhooks/config/index.ts';
import {
  attemptOutcomes,
  deliveryKinds,
  deliveryStatuses,
  storedStatuses,
} from '../../engine/webhooks/deliveries/index.ts';
import { attemptTriggers, sourceDeliveryStatuses } from '../../engine/webhooks/inbound/index.ts';
import { builder } from './builder.ts';

/** The contract's lower-case values, in capitals for GraphQL. */
export const inCapitals = <const Value extends string>(values: readonly Value[]): Record<string, { value: Value }> =>
  Object.fromEntries(values.map((value) => [value.toUpperCase().replace('.', '_'), { value }]));

export const RunStatusEnum = builder.enumType('RunStatus', { values: inCapitals(runStatuses) });

export const RunStatusFilterEnum = builder.enumType('RunStatusFilter', {
  description: 'A status. `ACTIVE` means queued, running or waiting; `ALL` means no filter.',
  values: inCapitals(runStatusFilters),
});

export const StepStatusEnum = builder.enumType('StepStatus', { values: inCapitals(stepStatuses) });

const stepKinds = [
  'run',
  'sleep',
  'wait_for_event',
  'run_workflow',
  'emit',
  'webhook',
  'approval',
  'infer',
  'score',
  'unknown',
] as const;
export type StepKind = (typeof stepKinds)[number];
export const StepKindEnum = builder.enumType('StepKind', {
  description: 'The call of `step` that made a step.',
  values: inCapitals(stepKinds),
});

export const FrameStatusEnum = builder.enumType('FrameStatus', {
  description: 'The new status of a run or a step.',
  values: inCapitals([...runStatuses, 'skipped']),
});

export const FrameKindEnum = builder.enumType('FrameKind', { values: inCapitals(frameKinds) });
export const LogLevelEnum = builder.enumType('LogLevel', { values: inCapitals(logLevels) });
export const TriggerKindEnum = builder.enumType('TriggerKind', { values: inCapitals(triggerKinds) });
export const PauseReasonEnum = builder.enumType('PauseReason', { values: inCapitals(['manual', 'budget']) });
export const WaitKindEnum = builder.enumType('WaitKind', {
  description: 'The cause for which a run does not execute.',
  values: inCapitals(waitKinds),
});

export const KeySourceEnum = builder.enumType('ProviderKeySource', {
  description: '`SETTINGS` is the environment of the process.',
  values: inCapitals(keySources),
});

export const RunSortEnum = builder.enumType('RunSort', { values: inCapitals(runSorts) });
export const RunGroupingEnum = builder.enumType('RunGrouping', {
  description: 'A name that the runs of a group share. They share all wider names, too.',
  values: inCapitals(runGroupings),
});
export const TimeseriesInstantEnum = builder.enumType('TimeseriesInstant', {
  description: 'The instant by which a run falls into a bucket.',
  values: inCapitals(timeseriesInstants),
});
export const SuggestionKindEnum = builder.enumType('SuggestionKind', {
  description: 'The kind of values that are suggested.',
  values: inCapitals(suggestionKinds),
});
export const SortDirectionEnum = builder.enumType('SortDirection', { values: inCapitals(sortDirections) });
export const EventSourceEnum = builder.enumType('EventSource', { values: inCapitals(['api', 'webhook', 'emit']) });
export const ApprovalSortEnum = builder.enumType('ApprovalSort', {
  description: 'The order of a list of approvals.',
  values: {
    NEWEST: { value: 'newest', description: 'Newest first.' },
    DEADLINE: { value: 'deadline', description: 'Open ones, the next deadline first. Those without one come last.' },
  } as const,
});
export const ApprovalStatusEnum = builder.enumType('ApprovalStatus', {
  description: '`PENDING` and `ESCALATED` are open.',
  values: inCapitals(approvalStatuses),
});

export const ApprovalDecisionEnum = builder.enumType('ApprovalDecision', { values: inCapitals(decisions) });
export const ApprovalOnTimeoutEnum = builder.enumType('ApprovalOnTimeout', {
  description: 'The effect of the deadline on an undecided approval.',
  values: inCapitals(onTimeouts),
});

export const DecidedViaEnum = builder.enumType('DecidedVia', {
  description: 'The surface of a decision, known from the credentials of the call.',
  values: inCapitals(decisionSurfaces),
});

export const ControlActionKindEnum = builder.enumType('ControlActionKind', { values: inCapitals(controlActions) });
export const WebhookSourceDeliveryStatusEnum = builder.enumType('WebhookSourceDeliveryStatus', {
  description: 'How a message of a webhook source was admitted. A replay does not change it.',
  values: inCapitals(sourceDeliveryStatuses),
});

export const WebhookSourceAttemptTriggerEnum = builder.enumType('WebhookSourceAttemptTrigger', {
  values: inCapitals(attemptTriggers),
});

export const WebhookFailureReasonEnum = builder.enumType('WebhookFailureReason', {
  description: 'Why a message did not verify.',
  values: inCapitals(signatureFaults),
});

export const BackoffEnum = builder.enumType('Backoff', { values: inCapitals(backoffs) });
export const ApiKeyKindEnum = builder.enumType('ApiKeyKind', { values: inCapitals(['secret', 'public', 'platform']) });
export const ViewerKindEnum = builder.enumType('ViewerKind', {
  values: inCapitals(['secret', 'public', 'platform', 'operator']),
});

export const WebhookEventKindEnum = builder.enumType('WebhookEventKind', {
  description: 'A change of a run or a step of which an endpoint is told.',
  values: inCapitals(lifecycleKinds),
});

export const WebhookEndpointSchemeEnum = builder.enumType('WebhookEndpointScheme', {
  description: 'How deliveries are signed: by the header `X-Service-Signature`, or as Standard Webhooks says.',
  values: inCapitals(endpointSchemes),
});

export const WebhookSourceSchemeEnum = builder.enumType('WebhookSourceScheme', {
  description: 'How a sender signs its messages.',
  values: inCapitals(sourceSchemes),
});

export const WebhookHandshakeEnum = builder.enumType('WebhookHandshake', {
  description: 'How a sender confirms the address when it is set up.',
  values: inCapitals(handshakes),
});

export const WebhookDeliveryKindEnum = builder.enumType('WebhookDeliveryKind', {
  description: 'The change that a delivery tells; `CUSTOM` is the send of a step.',
  values: inCapitals(deliveryKinds),
});

export const WebhookDeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'The progress of a delivery. `SUCCEEDED`, `EXHAUSTED` and `DEAD` are final unless it is redelivered.',
  values: inCapitals(deliveryStatuses),
});

export const RedeliverableStatusEnum = builder.enumType('RedeliverableStatus', {
  description: 'The status of a delivery apart from `DELIVERING`.',
  values: inCapitals(storedStatuses),
});

export const WebhookAttemptOutcomeEnum = builder.enumType('WebhookAttemptOutcome', {
  description: 'The outcome of one attempt; `SKIPPED` sent nothing.',
  values: inCapitals(attemptOutcomes),
});
