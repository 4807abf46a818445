import type { GraphQLResolveInfo } from 'graphql';
import { stepDurationMs } from '../../engine/runs/index.ts';
import { type LoadedStep, type StepPayload, stepKey } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { StepStatusEnum } from '../machinery/enums.ts';
import { ErrorDetailType, errorDetail, payload } from '../machinery/payload.ts';
import { PayloadType, viewPayload } from './payloads.ts';
import { NodeInterface, RunType } from './refs.ts';

/** 2.5 */
export const StepType = builder.objectRef<LoadedStep>('RunStep').implement({
  description: 'One attempt of one step. To show one row per step, keep the highest attempt of each `index`.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({
      description: 'The id of the run, `index` and `attempt`, joined by dots.',
      resolve: ({ runId, index, attempt }) => `${runId}.${index}.${attempt}`,
    }),
    name: t.exposeString('name'),
    index: t.exposeInt('index', {
      description: 'The position in the execution order, from 0. All attempts of a step have the same one.',
    }),
    attempt: t.exposeInt('attempt'),
    status: t.expose('status', { type: StepStatusEnum }),
    input: t.field({
      type: 'JSON',
      nullable: true,
      resolve: async (step, _args, context) => payload(await stepText(context, step, 'input')),
    }),
    output: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The result; for a skipped step, the reason.',
      resolve: async (step, _args, context) => payload(await stepText(context, step, 'output')),
    }),
    inputPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: (step, _args, context, info) => stepPayloadView(context, step, 'input', info),
    }),
    outputPayload: t.field({
      type: PayloadType,
      nullable: true,
      resolve: (step, _args, context, info) => stepPayloadView(context, step, 'output', info),
    }),
    error: t.field({
      type: ErrorDetailType,
      nullable: true,
      resolve: (step, _args, context) =>
        step.status === 'failed' ? stepText(context, step, 'error').then(errorDetail) : null,
    }),
    ai: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The journal block of an AI step, as its runner sent it. A call that the service makes: its model and its sends, so far while the step waits.',
      resolve: async (step, _args, context) => {
        const told = await stepText(context, step, 'ai');
        const isUnsettled = step.op === 'Infer' && (step.status === 'waiting' || step.status === 'cancelled');
        return payload(told ?? (isUnsettled ? await context.loaders.steps.aiSoFar.load(step) : null));
      },
    }),
    runAfter: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The wake-up or deadline of a waiting step, or the time at which a failed step is retried.',
      resolve: (step) => (step.status === 'failed' && !step.willRetry ? null : step.runAfter),
    }),
    willRetry: t.boolean({ nullable: true, resolve: (step) => step.willRetry || null }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: (step) => (step.willRetry ? step.runAfter : null),
    }),
    eventName: t.exposeString('eventName', { nullable: true, description: 'The event for which the step waits.' }),
    childRunId: t.exposeID('childRunId', { nullable: true }),
    child: t.field({
      type: RunType,
      nullable: true,
      description: 'The run that `step.runWorkflow` started. Null for other steps.',
      resolve: ({ childRunId }, _args, { loaders }) => (childRunId === null ? null : loaders.runs.run.load(childRunId)),
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    durationMs: t.float({ nullable: true, resolve: stepDurationMs }),
  }),
});

export const StepConnection = builder.connectionObject(
  { type: StepType, name: 'RunStepConnection' },
  { name: 'RunStepEdge' },
);

/** The JSON text of a payload of a step; undefined if there is none. */
export async function stepText(
  context: SchemaContext,
  step: LoadedStep,
  column: StepPayload,
): Promise<string | null | undefined> {
  const texts = await context.loaders.steps.stepPayloads.load(step.span, column);
  return texts?.get(stepKey(step));
}

const stepPayloadView = (
  context: SchemaContext,
  step: LoadedStep,
  column: 'input' | 'output',
  info: GraphQLResolveInfo,
) => {
  const { runId, index, attempt } = step;
  const heads = context.loaders.steps.stepHead;
  return viewPayload(
    { of: { runId, index, attempt }, column, heads, text: () => stepText(context, step, column) },
    info,
  );
};
