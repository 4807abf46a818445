import {
  maxBucketStatuses,
  type RunBucket,
  type RunStats,
  readRunStats,
  readRunTimeseries,
  type StatusCounts,
} from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunStatusFilterEnum, TriggerKindEnum } from '../machinery/enums.ts';

const TagFilterInput = builder.inputType('TagFilter', {
  fields: (t) => ({ key: t.string({ required: true }), value: t.string({ required: true }) }),
});

/** 4.4 */
export const RunFilterInput = builder.inputType('RunFilter', {
  description: 'All that is given must hold.',
  fields: (t) => ({
    app: t.string(),
    workflow: t.string(),
    status: t.field({ type: RunStatusFilterEnum }),
    runType: t.field({ type: TriggerKindEnum }),
    eventId: t.id({ description: 'Runs that this event started, alone or in a batch.' }),
    replayOf: t.id(),
    parentRunId: t.id({ description: 'Direct children only.' }),
    session: t.string({ description: 'Runs of one session; by its own id, a run that has none.' }),
    tags: t.field({ type: [TagFilterInput] }),
    q: t.string({ description: 'Part of the workflow, the run id or the app, in any case.' }),
    deep: t.boolean({ description: 'Widens `q` to the text of input, result and error.' }),
    since: t.field({ type: 'DateTime', description: 'Runs that started at or after it.' }),
  }),
});

/** How many runs have each status (3.1). */
export const RunStatusCountsType = builder.objectRef<StatusCounts>('RunStatusCounts').implement({
  fields: (t) => ({
    queued: t.exposeInt('queued'),
    running: t.exposeInt('running'),
    waiting: t.exposeInt('waiting'),
    paused: t.exposeInt('paused'),
    needsAttention: t.exposeInt('needs_attention'),
    succeeded: t.exposeInt('succeeded'),
    failed: t.exposeInt('failed'),
    cancelled: t.exposeInt('cancelled'),
  }),
});

const duration = (which: string): string => `${which} of the finished runs, in whole ms; null where there is none.`;

/** What both have in common. */
const Figures = builder.interfaceRef<RunStats>('RunFigures').implement({
  description: 'How many runs there are, and how long they took from their start to their end.',
  fields: (t) => ({
    total: t.exposeInt('total'),
    byStatus: t.expose('byStatus', { type: RunStatusCountsType }),
    p50Ms: t.exposeFloat('p50Ms', { nullable: true, description: duration('Median') }),
    p95Ms: t.exposeFloat('p95Ms', { nullable: true, description: duration('95th percentile') }),
  }),
});

/** 4.4 */
const RunStatsType = builder.objectRef<RunStats>('RunStats').implement({ interfaces: [Figures] });

/** 4.4 */
const RunBucketType = builder.objectRef<RunBucket>('RunBucket').implement({
  interfaces: [Figures],
  fields: (t) => ({
    bucket: t.expose('bucket', { type: 'DateTime', description: 'Its start.' }),
    avgMs: t.exposeFloat('avgMs', { nullable: true, description: duration('Mean') }),
  }),
});

builder.queryFields((t) => ({
  runStats: t.field({
    type: RunStatsType,
    args: { filter: t.arg({ type: RunFilterInput }) },
    resolve: (_root, { filter }, { engine, projectId }) => readRunStats(engine, { projectId, filter: filter ?? {} }),
  }),
  runTimeseries: t.field({
    type: [RunBucketType],
    description:
      `By the time at which runs came, oldest first; only buckets that hold runs, and of these the latest with at most ` +
      `${maxBucketStatuses} statuses together.`,
    args: {
      app: t.arg.string(),
      workflow: t.arg.string(),
      since: t.arg({ type: 'DateTime', description: 'Runs that started at or after it.' }),
      bucket: t.arg.int({ description: 'Width of the buckets in seconds; 3600 unless given.' }),
    },
    resolve: (_root, { app, workflow, since, bucket }, { engine, projectId }) =>
      readRunTimeseries(engine, { projectId, filter: { app, workflow, since }, bucket }),
  }),
}));
