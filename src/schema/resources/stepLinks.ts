import type { OpcodeKind } from '@holdfast/sdk/protocol';
import type { LoadedStep } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { type StepKind, StepKindEnum } from '../machinery/enums.ts';
import { EventType } from './events.ts';
import { ApprovalType, RunType, WebhookDeliveryType } from './refs.ts';
import { StepType, stepText } from './runSteps.ts';

/** The kind of a step, by its opcode. */
const kinds: Readonly<Record<OpcodeKind, StepKind>> = {
  StepRun: 'run',
  Sleep: 'sleep',
  SleepUntil: 'sleep',
  WaitForEvent: 'wait_for_event',
  RunWorkflow: 'run_workflow',
  Emit: 'emit',
  Webhook: 'webhook',
  Approval: 'approval',
  Infer: 'infer',
  Score: 'score',
};

const kindOf = ({ op }: LoadedStep): StepKind => (Object.hasOwn(kinds, op) ? kinds[op as OpcodeKind] : 'unknown');

/** An id in the result of a step, which the service wrote. */
async function idInOutput(context: SchemaContext, step: LoadedStep, op: OpcodeKind, field: string) {
  if (step.op !== op || step.status !== 'succeeded') return undefined;
  const text = await stepText(context, step, 'output');
  const id: unknown = text ? Reflect.get(Object(JSON.parse(text)), field) : undefined;
  return typeof id === 'string' ? id : undefined;
}

builder.objectFields(StepType, (t) => ({
  kind: t.field({
    type: StepKindEnum,
    description: 'The call of `step` by which the handler made it.',
    resolve: kindOf,
  }),
  eventIf: t.string({
    nullable: true,
    description:
      'The guard of `step.waitForEvent`, an expression over the event. Null without one, and for other steps.',
    resolve: async (step, _args, context) => {
      const text = step.op === 'WaitForEvent' ? await stepText(context, step, 'input') : undefined;
      const guard: unknown = text ? Object(JSON.parse(text)).if : undefined;
      return typeof guard === 'string' ? guard : null;
    },
  }),
  approval: t.field({
    type: ApprovalType,
    nullable: true,
    description: 'The approval that `step.approval` requested. Null for other steps.',
    resolve: async (step, _args, { loaders }) =>
      step.op === 'Approval' ? ((await loaders.approvals.stepApproval.load(step)) ?? null) : null,
  }),
  emittedEvent: t.field({
    type: EventType,
    nullable: true,
    description: 'The event that `step.emit` sent. Null for other steps, and until it was sent.',
    resolve: async (step, _args, context) => {
      const id = await idInOutput(context, step, 'Emit', 'eventId');
      return id === undefined ? null : ((await context.loaders.events.event.load(id)) ?? null);
    },
  }),
  delivery: t.field({
    type: WebhookDeliveryType,
    nullable: true,
    description: 'The delivery that `ctx.webhook.send` enqueued. Null for other steps, and until then.',
    resolve: async (step, _args, context) => {
      const id = await idInOutput(context, step, 'Webhook', 'deliveryId');
      return id === undefined ? null : ((await context.loaders.deliveries.delivery.load(id)) ?? null);
    },
  }),
}));

builder.objectField(RunType, 'stepAt', (t) =>
  t.field({
    type: StepType,
    nullable: true,
    description: 'One attempt of one step. Null if there is none.',
    args: {
      index: t.arg.int({ required: true, description: 'The position in the execution order, from 0.' }),
      attempt: t.arg.int({ description: 'From 1. Absent: the last attempt.' }),
    },
    resolve: async ({ id: runId }, { index, attempt }, { loaders }) => {
      const after = { index, attempt: attempt ? attempt - 1 : 0 };
      const found =
        (await loaders.steps.stepsAfter.load({ runId, after, index, limit: attempt ? 1 : maxAttempts })) ?? [];
      const step = attempt ? found[0] : found.at(-1);
      return step && (!attempt || step.attempt === attempt) ? step : null;
    },
  }),
);

/** The attempts of a step that are searched for its last one. */
const maxAttempts = 1_000;
