import { type FieldsOf, refuseUnknown } from '../knownFields.ts';
import type { RunStatus, RunSummary } from '../records/runs.ts';
import { instantOf } from './query.ts';

type StatusFilter = RunStatus | 'active' | 'all';

export interface RunFilter {
  app?: string | undefined;
  workflow?: string | undefined;
  /** A status, or `active` for queued, running and waiting runs. Default: `all`. */
  status?: StatusFilter | undefined;
  /** Only runs of one of these statuses. */
  statuses?: readonly RunStatus[] | undefined;
  runType?: RunSummary['triggerKind'] | undefined;
  eventId?: string | undefined;
  /** Only runs that an event or a manual trigger with this `dedupeId` started. */
  dedupeId?: string | undefined;
  replayOf?: string | undefined;
  parentRunId?: string | undefined;
  /** Leave out the children of other runs. */
  rootOnly?: boolean | undefined;
  /** Only runs that were replayed or retried from a step; `false`: only others. */
  isReplayed?: boolean | undefined;
  /** Only runs that this bulk call made, or cancelled: the `id` of its answer. */
  bulkId?: string | undefined;
  /** Only runs that started with this version of the definition. */
  version?: string | undefined;
  session?: string | undefined;
  /** Only runs that have all these tags. */
  tags?: Record<string, string> | undefined;
  /** Part of a workflow name, a run id or an app. */
  q?: string | undefined;
  /** Also search inputs, results and errors for `q`. */
  deep?: boolean | undefined;
  /** Only runs created at or after it. */
  since?: Date | string | undefined;
  /** Only runs created before it. */
  until?: Date | string | undefined;
  /** Only runs that ended at or after it. */
  endedSince?: Date | string | undefined;
  /** Only failed runs with errors of this group. */
  errorGroup?: string | undefined;
  sort?: 'started' | 'workflow' | 'status' | 'app' | 'duration' | undefined;
  dir?: 'asc' | 'desc' | undefined;
  /** Runs per request, 1 to 200. The iteration covers all pages. */
  pageSize?: number | undefined;
}

export const runFields: FieldsOf<RunFilter> = {
  app: true,
  workflow: true,
  status: true,
  statuses: true,
  runType: true,
  eventId: true,
  dedupeId: true,
  replayOf: true,
  parentRunId: true,
  rootOnly: true,
  isReplayed: true,
  bulkId: true,
  version: true,
  session: true,
  tags: true,
  q: true,
  deep: true,
  since: true,
  until: true,
  endedSince: true,
  errorGroup: true,
  sort: true,
  dir: true,
  pageSize: true,
};

export type RunStatsFilter = Pick<RunFilter, 'app' | 'workflow' | 'replayOf' | 'parentRunId' | 'tags' | 'since'>;

export const statsFields: FieldsOf<RunStatsFilter> = {
  app: true,
  workflow: true,
  replayOf: true,
  parentRunId: true,
  tags: true,
  since: true,
};

export interface RunTimeseriesFilter extends Pick<RunFilter, 'app' | 'workflow' | 'since'> {
  /** The width of a bucket, in seconds. Default: 3600. */
  bucket?: number | undefined;
}

export const timeseriesFields: FieldsOf<RunTimeseriesFilter> = { app: true, workflow: true, since: true, bucket: true };

type SharedFilter =
  | 'app'
  | 'workflow'
  | 'status'
  | 'statuses'
  | 'runType'
  | 'dedupeId'
  | 'since'
  | 'until'
  | 'endedSince'
  | 'errorGroup';

/** At least one field is needed. */
export interface BulkFilter extends Pick<RunFilter, SharedFilter> {
  /** Only these runs, at most 1000. */
  runIds?: readonly string[] | undefined;
}

export const bulkFields: FieldsOf<BulkFilter> = {
  app: true,
  workflow: true,
  status: true,
  statuses: true,
  runType: true,
  dedupeId: true,
  since: true,
  until: true,
  endedSince: true,
  errorGroup: true,
  runIds: true,
};

/** At least one field is needed. */
export type BulkCancelFilter = BulkFilter & Pick<RunFilter, 'tags'>;

export const bulkCancelFields: FieldsOf<BulkCancelFilter> = { ...bulkFields, tags: true };

/** The body of a bulk call. Throws a `TypeError` for an unknown field. */
export function bulkBody(filter: BulkCancelFilter, known: Readonly<Record<string, true>>, call: string): object {
  refuseUnknown(filter, known, `the filter of ${call}`);
  return { ...filter, ...instantsOf(filter) };
}

/** The instants of a filter, as the service takes them. */
export const instantsOf = ({ since, until, endedSince }: Pick<RunFilter, 'since' | 'until' | 'endedSince'>) => ({
  since: instantOf(since),
  until: instantOf(until),
  endedSince: instantOf(endedSince),
});
