import type { EngineContext } from '../../engine/context.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { type ApprovalLoaders, createApprovalLoaders } from './approvals.ts';
import { createDeliveryLoaders, type DeliveryLoaders } from './deliveries.ts';
import { createEventLoaders, type EventLoaders } from './events.ts';
import { createRunLinkLoaders, type RunLinkLoaders } from './runLinks.ts';
import { createRunLoaders, createScoreLoaders, type RunLoaders, type ScoreLoaders } from './runs.ts';
import { createSourceDeliveryLoaders, type SourceDeliveryLoaders } from './sourceDeliveries.ts';
import { createStepLoaders, type StepLoaders } from './steps.ts';
import { createWorkflowLoaders, type WorkflowLoaders } from './workflows.ts';

export type { ApprovalPayload } from './approvals.ts';
export { groupBy, type PayloadLoader, type RelatedKey, type Wanted } from './batch.ts';
export type { AttemptsKey } from './deliveries.ts';
export { loadTailedEvent } from './events.ts';
export type { HeadLoader } from './payloadHeads.ts';
export { maxCountedChildren } from './runLinks.ts';
export type { RunPayload } from './runs.ts';
export { type LoadedStep, type StepFilter, type StepPayload, spanOf, stepKey, stepName } from './steps.ts';

export { rowLength } from './workflows.ts';

/** Batched reads of one request in one project. */
export interface Loaders
  extends RunLoaders,
    RunLinkLoaders,
    StepLoaders,
    EventLoaders,
    ApprovalLoaders,
    ScoreLoaders,
    DeliveryLoaders,
    SourceDeliveryLoaders,
    WorkflowLoaders {}

export function createLoaders(engine: EngineContext, projectId: string, meter: AnswerMeter): Loaders {
  return {
    ...createRunLoaders(engine, projectId, meter),
    ...createRunLinkLoaders(engine, projectId),
    ...createStepLoaders(engine, meter),
    ...createEventLoaders(engine, projectId, meter),
    ...createApprovalLoaders(engine, projectId, meter),
    ...createScoreLoaders(engine, projectId, meter),
    ...createDeliveryLoaders(engine, projectId, meter),
    ...createSourceDeliveryLoaders(engine, projectId, meter),
    ...createWorkflowLoaders(engine, projectId, meter),
  };
}
