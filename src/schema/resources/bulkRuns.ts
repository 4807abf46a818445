import {
  type BulkCounts,
  type BulkPreview,
  bulkCancelRuns,
  bulkReplayRuns,
  previewBulkCancel,
  previewBulkReplay,
} from '../../engine/control/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { RunStatusFilterEnum, TriggerKindEnum } from '../machinery/enums.ts';
import { RunType } from './refs.ts';

type InputFields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]>['fields']>[0];

const selection = 'A run must match all given fields; at least one is required.';

/** The filter of both calls. */
const filterOf = (t: InputFields) => ({
  app: t.string(),
  workflow: t.string(),
  status: t.field({ type: RunStatusFilterEnum }),
  runType: t.field({ type: TriggerKindEnum }),
  dedupeId: t.string({ description: 'Only runs that an event or a manual trigger with this `dedupeId` started.' }),
  since: t.field({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
  until: t.field({ type: 'DateTime', description: 'Only runs created before this instant.' }),
});

const BulkReplayRunsInput = builder.inputType('BulkReplayRunsInput', { description: selection, fields: filterOf });

const BulkCancelRunsInput = builder.inputType('BulkCancelRunsInput', {
  description: selection,
  fields: (t) => ({
    ...filterOf(t),
    tags: t.field({ type: 'Tags', description: 'Only runs that have all of these tags.' }),
  }),
});

/** The result of a bulk call; `done` is the name of the count of changed runs. */
const countsType = (name: string, done: string, { skipped, failed }: { skipped: string; failed: string }) =>
  builder.objectRef<BulkCounts>(name).implement({
    fields: (t) => ({
      matched: t.exposeInt('matched', {
        description: 'Runs that match the filter, including runs beyond the limit of one call; counted up to 100000.',
      }),
      [done]: t.exposeInt('done'),
      skipped: t.exposeInt('skipped', { description: skipped }),
      failed: t.exposeInt('failed', { description: failed }),
      capped: t.exposeBoolean('capped', {
        description: 'Whether more runs match than the 1000 of one call.',
      }),
    }),
  });

const BulkReplayRunsPayload = countsType('BulkReplayRunsPayload', 'replayed', {
  skipped: 'Matches that have not ended.',
  failed: 'Matches that could not be replayed.',
});

const BulkCancelRunsPayload = countsType('BulkCancelRunsPayload', 'cancelled', {
  skipped: 'Matches that have ended, also while the call was under way.',
  failed: 'Matches that could not be cancelled.',
});

const BulkPreviewType = builder.objectRef<BulkPreview>('BulkPreview').implement({
  description: 'The runs that a bulk call with the same filter, and with this `until`, would act on.',
  fields: (t) => ({
    matched: t.exposeInt('matched', {
      description: 'Runs that match the filter, including runs beyond the limit of one call; counted up to 100000.',
    }),
    count: t.exposeInt('count', { description: 'The runs that the call would act on, at most 1000.' }),
    skipped: t.exposeInt('skipped', { description: 'Matches in a status that the call does not act on.' }),
    capped: t.exposeBoolean('capped', { description: 'Whether more runs match than the 1000 of one call.' }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'With this `until`, the call acts on no run that was created after the preview.',
    }),
    sample: t.field({
      type: [RunType],
      description: 'The newest of the runs that the call would act on, at most 5.',
      resolve: ({ sample }) => sample,
    }),
  }),
});

builder.queryFields((t) => ({
  bulkReplayPreview: t.field({
    type: BulkPreviewType,
    description: 'The runs that `bulkReplayRuns` would replay. The query changes nothing.',
    args: { input: t.arg({ type: BulkReplayRunsInput, required: true }) },
    resolve: (_root, { input: filter }, { engine, projectId }) => previewBulkReplay(engine, { projectId, filter }),
  }),
  bulkCancelPreview: t.field({
    type: BulkPreviewType,
    description: 'The runs that `bulkCancelRuns` would cancel. The query changes nothing.',
    args: { input: t.arg({ type: BulkCancelRunsInput, required: true }) },
    resolve: (_root, { input: filter }, { engine, projectId }) => previewBulkCancel(engine, { projectId, filter }),
  }),
}));

type BulkCall<Filter> = (
  engine: SchemaContext['engine'],
  call: { projectId: string; actor: string; filter: Filter },
) => Promise<BulkCounts>;

/** Changes the runs of a filter. The same operation then reads them afresh. */
async function act<Filter>(context: SchemaContext, call: BulkCall<Filter>, filter: Filter): Promise<BulkCounts> {
  const { engine, projectId, principal } = context;
  const counts = await call(engine, { projectId, actor: principal.keyName, filter });
  context.refresh();
  return counts;
}

builder.mutationFields((t) => ({
  bulkReplayRuns: t.field({
    type: BulkReplayRunsPayload,
    description: 'Replays the newest ended runs that match: at most 1000 per call.',
    args: { input: t.arg({ type: BulkReplayRunsInput, required: true }) },
    resolve: (_root, { input }, context) => act(context, bulkReplayRuns, input),
  }),
  bulkCancelRuns: t.field({
    type: BulkCancelRunsPayload,
    description: 'Cancels the newest unfinished runs that match, and their children: at most 1000 per call.',
    args: { input: t.arg({ type: BulkCancelRunsInput, required: true }) },
    resolve: (_root, { input }, context) => act(context, bulkCancelRuns, input),
  }),
}));
