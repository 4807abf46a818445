import type { GraphQLResolveInfo } from 'graphql';
import { pageSize } from '../../engine/paging/index.ts';
import {
  maxBucketStatuses,
  type RunBucket,
  type RunStats,
  type RunStatsGroup,
  readRunStats,
  readRunStatsBy,
  readRunTimeseries,
  type StatusCounts,
} from '../../engine/runs/index.ts';
import { ageMs, longestAge } from '../../engine/sharedRead.ts';
import { builder } from '../machinery/builder.ts';
import { RunGroupingEnum, TimeseriesInstantEnum } from '../machinery/enums.ts';
import { selectedFields } from '../machinery/selection.ts';
import { RunFilterInput, toRunFilter } from './runFilter.ts';

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

const groupColumn = (name: string): string => `The ${name} of the runs; null if groups are wider.`;

const RunStatsGroupType = builder.objectRef<RunStatsGroup>('RunStatsGroup').implement({
  description: 'The figures of the runs of one app, of one workflow, or of one version of a workflow.',
  interfaces: [Figures],
  fields: (t) => ({
    app: t.exposeString('app', { description: 'The one to which all runs of the group belong.' }),
    workflow: t.exposeString('workflow', { nullable: true, description: groupColumn('workflow') }),
    version: t.exposeString('version', { nullable: true, description: groupColumn('version') }),
    first: t.expose('first', { type: 'DateTime', description: 'When the first of the runs was created.' }),
    last: t.expose('last', { type: 'DateTime', description: 'When the last of the runs was created.' }),
  }),
});

export const maxAgeHelp =
  `How old the answer may be, in seconds: 0 by default, at most ${longestAge}. ` +
  'All who ask the same share the answer for that long.';

/** Percentiles take most of the time of a statistic. */
function asksDurations(info: GraphQLResolveInfo): boolean {
  const asked = selectedFields(info);
  return asked.has('p50Ms') || asked.has('p95Ms');
}

builder.queryFields((t) => ({
  runStats: t.field({
    type: RunStatsType,
    args: { filter: t.arg({ type: RunFilterInput }), maxAge: t.arg.int({ description: maxAgeHelp }) },
    resolve: (_root, { filter, maxAge }, { engine, projectId }, info) =>
      readRunStats(engine, {
        projectId,
        filter: toRunFilter(projectId, filter),
        hasDurations: asksDurations(info),
        maxAgeMs: ageMs(maxAge),
      }),
  }),
  runStatsBy: t.field({
    type: [RunStatsGroupType],
    description: 'The figures of runs by group, the group with the most runs first.',
    args: {
      by: t.arg({ type: RunGroupingEnum, required: true, description: 'The names that the runs of a group share.' }),
      filter: t.arg({ type: RunFilterInput, description: 'Absent: all runs of the project.' }),
      limit: t.arg.int({ description: 'Length of the list: 100 by default, at most 1000.' }),
      maxAge: t.arg.int({ description: maxAgeHelp }),
    },
    resolve: (_root, { by, filter, limit, maxAge }, { engine, projectId }, info) =>
      readRunStatsBy(engine, {
        projectId,
        filter: toRunFilter(projectId, filter),
        by,
        limit: pageSize(limit, 'limit'),
        hasDurations: asksDurations(info),
        maxAgeMs: ageMs(maxAge),
      }),
  }),
  runTimeseries: t.field({
    type: [RunBucketType],
    description:
      `Time buckets with runs, oldest first: the latest buckets, with at most ` +
      `${maxBucketStatuses} statuses together.`,
    args: {
      app: t.arg.string(),
      workflow: t.arg.string(),
      since: t.arg({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
      until: t.arg({ type: 'DateTime', description: 'Only runs created before this instant.' }),
      filter: t.arg({ type: RunFilterInput, description: 'Only runs that match it, too.' }),
      by: t.arg({ type: TimeseriesInstantEnum, description: '`STARTED` unless given.' }),
      bucket: t.arg.int({ description: 'Width of the buckets in seconds; default 3600.' }),
      maxAge: t.arg.int({ description: maxAgeHelp }),
    },
    resolve: (_root, { filter, bucket, by, maxAge, ...given }, { engine, projectId }, info) => {
      const named = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
      );
      return readRunTimeseries(engine, {
        projectId,
        filter: { ...toRunFilter(projectId, filter), ...named },
        bucket,
        by,
        hasDurations: asksDurations(info),
        maxAgeMs: ageMs(maxAge),
      });
    },
  }),
}));
