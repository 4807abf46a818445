import { countShed, maxShedEvents, type ShedCounts } from '../../engine/events/index.ts';
import {
  bufferPolicies,
  maxSingletons,
  type OpenBufferRow,
  readOpenBuffers,
  readSingletons,
  type SingletonHolder,
} from '../../engine/flow/policies/index.ts';
import { builder } from '../machinery/builder.ts';
import { inCapitals } from '../machinery/enums.ts';
import { FlowStateType } from './flowControl.ts';
import { RunType } from './refs.ts';

const BufferPolicyEnum = builder.enumType('FlowBufferPolicy', {
  description: 'A policy that gathers starts in buffers.',
  values: inCapitals(bufferPolicies),
});

const FlowBufferType = builder.objectRef<OpenBufferRow>('FlowBufferState').implement({
  description: 'Starts of one scope that `debounce` or `batch` gathers.',
  fields: (t) => ({
    policy: t.expose('policy', { type: BufferPolicyEnum, description: 'The policy that gathers them.' }),
    app: t.exposeString('app', { description: 'The app of the workflow.' }),
    workflow: t.exposeString('workflow', { description: 'The workflow that will start.' }),
    key: t.string({
      nullable: true,
      description: "The value at the policy's key; null for the whole workflow.",
      resolve: ({ key }) => key ?? null,
    }),
    runner: t.string({
      nullable: true,
      description: 'The runner to which the starts are pinned.',
      resolve: ({ runner }, _args, context) => runner && context.shownUrl(runner),
    }),
    items: t.exposeInt('items', { description: 'Gathered starts; 1 for `DEBOUNCE`.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When the first of them came.' }),
    dueAt: t.expose('dueAt', { type: 'DateTime', description: 'When the run starts, unless another event moves it.' }),
  }),
});

const SingletonType = builder.objectRef<SingletonHolder>('FlowSingletonState').implement({
  description: 'An unfinished run that holds a `singleton`.',
  fields: (t) => ({
    app: t.exposeString('app', { description: 'The app of the workflow.' }),
    workflow: t.exposeString('workflow', { description: 'The workflow with the policy.' }),
    runId: t.exposeID('runId', { description: 'The run that keeps others from starting.' }),
    run: t.field({
      type: RunType,
      nullable: true,
      description: 'The run in its present state.',
      resolve: async ({ runId }, _args, { loaders }) => (await loaders.runs.run.load(runId)) ?? null,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'When the run was created.' }),
  }),
});

const ShedType = builder.objectRef<ShedCounts>('FlowShed').implement({
  description: 'The starts of one workflow that its gates withheld.',
  fields: (t) => ({
    app: t.exposeString('app', { description: 'The app of the workflow.' }),
    workflow: t.exposeString('workflow', { description: 'The workflow that would have started.' }),
    matched: t.exposeInt('matched', { description: 'Events that a trigger of the workflow matched.' }),
    deduped: t.exposeInt('deduped', { description: 'Starts that `idempotency` withheld.' }),
    dropped: t.exposeInt('dropped', { description: 'Starts that `rateLimit` dropped.' }),
    skipped: t.exposeInt('skipped', { description: 'Starts that a `singleton` skipped.' }),
    debounced: t.exposeInt('debounced', {
      description: 'Starts that `debounce` took up, also those that began later.',
    }),
    batched: t.exposeInt('batched', { description: 'Starts that `batch` took up, also those that began later.' }),
  }),
});

builder.objectFields(FlowStateType, (t) => ({
  buffers: t.field({
    type: [FlowBufferType],
    description: 'Open buffers of `debounce` and `batch` by scope, the next due first: at most 1000.',
    resolve: ({ question }, _args, { engine }) => readOpenBuffers(engine, question),
  }),
  singletons: t.field({
    type: [SingletonType],
    description: `Holders of a \`singleton\`, the oldest first: at most 1000 of the ${maxSingletons} that are examined.`,
    resolve: ({ question }, _args, { engine }) => readSingletons(engine, question),
  }),
  shed: t.field({
    type: [ShedType],
    description: `Starts that gates withheld, by workflow, of the newest ${maxShedEvents} events. Calls that start a workflow directly are not counted.`,
    args: { since: t.arg({ type: 'DateTime', required: true, description: 'Only events that came at or after it.' }) },
    resolve: ({ question }, { since }, { engine }) => countShed(engine, { ...question, since }),
  }),
}));
