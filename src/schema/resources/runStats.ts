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
  description: 'A run must match all given fields.',
  fields: (t) => ({
    app: t.string(),
    workflow: t.string(),
    status: t.field({ type: RunStatusFilterEnum }),
    runType: t.field({ type: TriggerKindEnum }),
    eventId: t.id({ description: 'Only runs that this event started, alone or in a batch.' }),
    dedupeId: t.string({ description: 'Only runs that an event or a manual trigger with this `dedupeId` started.' }),
    replayOf: t.id(),
    parentRunId: t.id({ description: 'Only direct children of this run.' }),
    session: t.string({ description: 'Only runs of this session. A run without a session matches by its own id.' }),
    tags: t.field({ type: [TagFilterInput] }),
    q: t.string({ description: 'A part of the workflow, the run id or the app, in upper or lower case.' }),
    deep: t.boolean({ description: 'Also searches `q` in the text of input, result and error.' }),
    since: t.field({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
  }),
});

/** The number of runs by status (3.1). */
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

const duration = (which: string): string =>
  `${which} duration of the finished runs, in whole ms; null if there is none.`;

/** The common figures of both. */
const Figures = builder.interfaceRef<RunStats>('RunFigures').implement({
  description: 'The number of runs, and their durations from start to end.',
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
    bucket: t.expose('bucket', { type: 'DateTime', description: 'The start of the bucket.' }),
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
      `Time buckets with runs, by the creation of the runs, oldest first: the latest buckets, with at most ` +
      `${maxBucketStatuses} statuses together.`,
    args: {
      app: t.arg.string(),
      workflow: t.arg.string(),
      since: t.arg({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
      bucket: t.arg.int({ description: 'Width of the buckets in seconds; default 3600.' }),
    },
    resolve: (_root, { app, workflow, since, bucket }, { engine, projectId }) =>
      readRunTimeseries(engine, { projectId, filter: { app, workflow, since }, bucket }),
  }),
}));
