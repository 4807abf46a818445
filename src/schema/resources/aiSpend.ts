import {
  maxHoursAndModels,
  type RunUsage,
  readSpend,
  readSpendByHourAndModel,
  readSpendByRun,
  readSpendBySession,
  type SpendByBucket,
  type SpendByHourAndModel,
  type SpendByModel,
  type SpendByRun,
  type SpendBySession,
  type SpendByWorkflow,
  type SpendFigures,
  type SpendQuery,
  type SpendReport,
} from '../../engine/ai/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunType } from './refs.ts';

/** The figures of every row. */
const Figures = builder.interfaceRef<SpendFigures>('AiSpendFigures').implement({
  description: 'The totals of a set of model calls. Counts may exceed 32 bits.',
  fields: (t) => ({
    calls: t.exposeFloat('calls', {
      description: 'Attempts of AI steps and sends of offloaded calls, including failed ones.',
    }),
    tokensIn: t.exposeFloat('tokensIn'),
    tokensOut: t.exposeFloat('tokensOut'),
    tokens: t.exposeFloat('tokens', { description: 'Input and output tokens together.' }),
    cost: t.exposeFloat('cost', { nullable: true, description: 'In US dollars; null if no call has a price.' }),
    cacheHits: t.exposeFloat('cacheHits'),
    cacheEligible: t.exposeFloat('cacheEligible', { description: 'Calls that could use a cache, including hits.' }),
    unknown: t.exposeFloat('unknown', {
      description: 'Sends of offloaded calls that may have been billed: no answer and no refusal arrived.',
    }),
  }),
});

const latency = 'Mean duration of the calls that report one, in whole ms; null if none does.';

const Totals = builder.objectRef<SpendFigures>('AiSpendTotals').implement({
  interfaces: [Figures],
  fields: (t) => ({ avgLatencyMs: t.exposeFloat('avgLatencyMs', { nullable: true, description: latency }) }),
});

const ByHour = builder.objectRef<SpendByBucket>('AiSpendByHour').implement({
  interfaces: [Figures],
  fields: (t) => ({ bucket: t.expose('bucket', { type: 'DateTime', description: 'The start of the bucket.' }) }),
});

const ByModel = builder.objectRef<SpendByModel>('AiSpendByModel').implement({
  interfaces: [Figures],
  fields: (t) => ({
    model: t.exposeString('model', { nullable: true, description: 'Null for calls without a model name.' }),
    avgLatencyMs: t.exposeFloat('avgLatencyMs', { nullable: true, description: latency }),
  }),
});

const ByWorkflow = builder.objectRef<SpendByWorkflow>('AiSpendByWorkflow').implement({
  interfaces: [Figures],
  fields: (t) => ({ app: t.exposeString('app'), workflow: t.exposeString('workflow') }),
});

const ByHourAndModel = builder.objectRef<SpendByHourAndModel>('AiSpendByHourAndModel').implement({
  description: 'The calls of one model in one time bucket.',
  interfaces: [Figures],
  fields: (t) => ({
    bucket: t.expose('bucket', { type: 'DateTime', description: 'The start of the bucket.' }),
    model: t.exposeString('model', { nullable: true, description: 'Null for calls without a model name.' }),
  }),
});

const BySession = builder.objectRef<SpendBySession>('AiSpendBySession').implement({
  description: 'The calls of the runs of one session.',
  interfaces: [Figures],
  fields: (t) => ({
    session: t.exposeString('session', { description: 'Its name; the id of the run, for a run without a session.' }),
  }),
});

const ByRun = builder.objectRef<SpendByRun>('AiSpendByRun').implement({
  description: 'The calls of one run.',
  interfaces: [Figures],
  fields: (t) => ({
    runId: t.exposeID('runId', { description: 'The run that made the calls.' }),
    run: t.field({
      type: RunType,
      nullable: true,
      description: 'The same run with all its fields.',
      resolve: ({ runId }, _args, { loaders }) => loaders.runs.run.load(runId),
    }),
  }),
});

const dearest = 'Length of the list: 100 by default, at most 1000.';

const RunAiType = builder.objectRef<RunUsage>('RunAi').implement({
  description: 'The number, the tokens and the cost of the model calls of a run.',
  fields: (t) => ({
    calls: t.exposeInt('calls', { description: 'Attempts of AI steps, and sends of offloaded calls.' }),
    tokens: t.exposeFloat('tokens', { description: 'Input and output tokens together.' }),
    cost: t.exposeFloat('cost', { nullable: true, description: 'In US dollars; null if no call has a price.' }),
  }),
});

builder.objectField(RunType, 'ai', (t) =>
  t.field({
    type: RunAiType,
    nullable: true,
    description: 'The tokens and the cost of its model calls so far. Null if it made none.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.runs.runUsage.load(id)) ?? null,
  }),
);

/** 4.4 */
const AiSpendType = builder.objectRef<SpendReport & { query: SpendQuery }>('AiSpend').implement({
  description: 'The spend of AI steps in a period.',
  fields: (t) => ({
    totals: t.expose('totals', { type: Totals }),
    byHour: t.expose('byHour', {
      type: [ByHour],
      description:
        'Time buckets with calls, oldest first: at most the latest 5000. A bucket is an hour unless `bucket` is given.',
    }),
    byHourAndModel: t.field({
      type: [ByHourAndModel],
      description: `The buckets of \`byHour\` split by model, oldest first: at most the latest ${maxHoursAndModels} rows.`,
      resolve: ({ query }, _args, { engine }) => readSpendByHourAndModel(engine, query),
    }),
    bySession: t.field({
      type: [BySession],
      description: 'The sessions with the highest cost, then those without prices by their tokens.',
      args: { limit: t.arg.int({ description: dearest }) },
      resolve: ({ query }, { limit }, { engine }) => readSpendBySession(engine, query, pageSize(limit, 'limit')),
    }),
    byRun: t.field({
      type: [ByRun],
      description: 'The runs with the highest cost, then those without prices by their tokens.',
      args: { limit: t.arg.int({ description: dearest }) },
      resolve: ({ query }, { limit }, { engine }) => readSpendByRun(engine, query, pageSize(limit, 'limit')),
    }),
    byModel: t.expose('byModel', { type: [ByModel], description: 'The 1000 with the most tokens, in that order.' }),
    byWorkflow: t.expose('byWorkflow', {
      type: [ByWorkflow],
      description: 'The 1000 with the most tokens, in that order.',
    }),
  }),
});

builder.queryField('aiSpend', (t) =>
  t.field({
    type: AiSpendType,
    args: {
      app: t.arg.string(),
      workflow: t.arg.string(),
      model: t.arg.string({ description: 'Only calls of exactly this model.' }),
      since: t.arg({ type: 'DateTime', description: 'Only calls recorded at or after this instant.' }),
      until: t.arg({ type: 'DateTime', description: 'Only calls recorded before this instant.' }),
      bucket: t.arg.int({ description: 'Width of the buckets of `byHour` in seconds; default 3600.' }),
    },
    resolve: async (_root, { app, workflow, model, since, until, bucket }, { engine, projectId }) => {
      const query = { projectId, app, workflow, model, since, until, bucket };
      return { ...(await readSpend(engine, query)), query };
    },
  }),
);
