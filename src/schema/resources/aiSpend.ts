import {
  readSpend,
  type SpendByBucket,
  type SpendByModel,
  type SpendByWorkflow,
  type SpendFigures,
  type SpendReport,
} from '../../engine/ai/index.ts';
import { builder } from '../machinery/builder.ts';

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

/** 4.4 */
const AiSpendType = builder.objectRef<SpendReport>('AiSpend').implement({
  description: 'The spend of AI steps in a period.',
  fields: (t) => ({
    totals: t.expose('totals', { type: Totals }),
    byHour: t.expose('byHour', {
      type: [ByHour],
      description:
        'Time buckets with calls, oldest first: at most the latest 5000. A bucket is an hour unless `bucket` is given.',
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
      since: t.arg({ type: 'DateTime', description: 'Only calls recorded at or after this instant.' }),
      bucket: t.arg.int({ description: 'Width of the buckets of `byHour` in seconds; default 3600.' }),
    },
    resolve: (_root, { app, workflow, since, bucket }, { engine, projectId }) =>
      readSpend(engine, { projectId, app, workflow, since, bucket }),
  }),
);
