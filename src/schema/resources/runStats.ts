import {
  maxBucketStatuses,
  type RunBucket,
  type RunStats,
  readRunStats,
  readRunTimeseries,
  type StatusCounts,
} from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunFilterInput } from './runFilter.ts';

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
