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
export { groupBy, type RelatedKey } from './batch.ts';
export type { AttemptsKey } from './deliveries.ts';
export { loadTailedEvent } from './events.ts';
export type { HeadLoader } from './payloadHeads.ts';
export type { PayloadLoader, Wanted } from './payloadLoader.ts';
export { maxCountedChildren } from './runLinks.ts';
export type { RunPayload } from './runs.ts';
export { type LoadedStep, type StepFilter, type StepPayload, spanOf, stepKey, stepName } from './steps.ts';

export { rowLength } from './workflows.ts';

/**
 * Batched reads of one request in one project. A request uses few of the groups, so each is made
 * when it is first used.
 */
export class Loaders {
  #runs: RunLoaders | undefined;
  #links: RunLinkLoaders | undefined;
  #steps: StepLoaders | undefined;
  #events: EventLoaders | undefined;
  #approvals: ApprovalLoaders | undefined;
  #scores: ScoreLoaders | undefined;
  #deliveries: DeliveryLoaders | undefined;
  #sourceDeliveries: SourceDeliveryLoaders | undefined;
  #workflows: WorkflowLoaders | undefined;
  readonly #engine: EngineContext;
  readonly #projectId: string;
  readonly #meter: AnswerMeter;

  constructor(engine: EngineContext, projectId: string, meter: AnswerMeter) {
    this.#engine = engine;
    this.#projectId = projectId;
    this.#meter = meter;
  }

  get runs(): RunLoaders {
    this.#runs ??= createRunLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#runs;
  }

  get links(): RunLinkLoaders {
    this.#links ??= createRunLinkLoaders(this.#engine, this.#projectId);
    return this.#links;
  }

  get steps(): StepLoaders {
    this.#steps ??= createStepLoaders(this.#engine, this.#meter);
    return this.#steps;
  }

  get events(): EventLoaders {
    this.#events ??= createEventLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#events;
  }

  get approvals(): ApprovalLoaders {
    this.#approvals ??= createApprovalLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#approvals;
  }

  get scores(): ScoreLoaders {
    this.#scores ??= createScoreLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#scores;
  }

  get deliveries(): DeliveryLoaders {
    this.#deliveries ??= createDeliveryLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#deliveries;
  }

  get sourceDeliveries(): SourceDeliveryLoaders {
    this.#sourceDeliveries ??= createSourceDeliveryLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#sourceDeliveries;
  }

  get workflows(): WorkflowLoaders {
    this.#workflows ??= createWorkflowLoaders(this.#engine, this.#projectId, this.#meter);
    return this.#workflows;
  }
}
