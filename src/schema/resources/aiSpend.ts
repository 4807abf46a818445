import {
  readSpend,
  type Spend,
  type SpendByBucket,
  type SpendByModel,
  type SpendByWorkflow,
  type SpendFigures,
} from '../../engine/ai/index.ts';
import { builder } from '../machinery/builder.ts';

/** What all rows have in common. */
const Figures = builder.interfaceRef<SpendFigures>('AiSpendFigures').implement({
  description: 'What a set of model calls came to. Counts may exceed 32 bits.',
  fields: (t) => ({
    calls: t.exposeFloat('calls', { description: 'Attempts of AI steps, the failed ones included.' }),
    tokensIn: t.exposeFloat('tokensIn'),
    tokensOut: t.exposeFloat('tokensOut'),
    tokens: t.exposeFloat('tokens', { description: 'In and out.' }),
    cost: t.exposeFloat('cost', { nullable: true, description: 'US dollars; null where no call was priced.' }),
    cacheHits: t.exposeFloat('cacheHits'),
    cacheEligible: t.exposeFloat('cacheEligible', { description: 'Calls that asked a cache, hits included.' }),
  }),
});

const latency = 'Mean over the calls that told how long they took, in whole ms; null where none did.';

const Totals = builder.objectRef<SpendFigures>('AiSpendTotals').implement({
  interfaces: [Figures],
  fields: (t) => ({ avgLatencyMs: t.exposeFloat('avgLatencyMs', { nullable: true, description: latency }) }),
});

const ByHour = builder.objectRef<SpendByBucket>('AiSpendByHour').implement({
  interfaces: [Figures],
  fields: (t) => ({ bucket: t.expose('bucket', { type: 'DateTime', description: 'Its start.' }) }),
});

const ByModel = builder.objectRef<SpendByModel>('AiSpendByModel').implement({
  interfaces: [Figures],
  fields: (t) => ({
    model: t.exposeString('model', { nullable: true, description: 'Null: calls that named none.' }),
    avgLatencyMs: t.exposeFloat('avgLatencyMs', { nullable: true, description: latency }),
  }),
});

const ByWorkflow = builder.objectRef<SpendByWorkflow>('AiSpendByWorkflow').implement({
  interfaces: [Figures],
  fields: (t) => ({ app: t.exposeString('app'), workflow: t.exposeString('workflow') }),
});

/** 4.4 */
const AiSpendType = builder.objectRef<Spend>('AiSpend').implement({
  description: 'What the AI steps of a window spent.',
  fields: (t) => ({
    totals: t.expose('totals', { type: Totals }),
    byHour: t.expose('byHour', {
      type: [ByHour],
      description:
        'By time, in buckets of an hour unless asked otherwise: oldest first, the latest 5000 that hold calls.',
    }),
    byModel: t.expose('byModel', { type: [ByModel], description: 'The 1000 that used most tokens, those first.' }),
    byWorkflow: t.expose('byWorkflow', {
      type: [ByWorkflow],
      description: 'The 1000 that used most tokens, those first.',
    }),
  }),
});

builder.queryField('aiSpend', (t) =>
  t.field({
    type: AiSpendType,
    args: {
      app: t.arg.string(),
      workflow: t.arg.string(),
      since: t.arg({ type: 'DateTime', description: 'Calls recorded at or after it.' }),
      bucket: t.arg.int({ description: 'Width of the buckets of `byHour` in seconds; 3600 unless given.' }),
    },
    resolve: (_root, { app, workflow, since, bucket }, { engine, projectId }) =>
      readSpend(engine, { projectId, app, workflow, since, bucket }),
  }),
);
