import {
  type BulkFailure,
  type BulkOutcome,
  type BulkPreview,
  bulkCancelRuns,
  bulkReplayRuns,
  previewBulkCancel,
  previewBulkReplay,
  type WorkflowCount,
} from '../../engine/control/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { RunType } from './refs.ts';
import { filterFields, toRunFilter } from './runFilter.ts';
import { RunStatusCountsType } from './runStats.ts';

const inputOf = (name: string) =>
  builder.inputType(name, {
    description: 'A run must match all given fields; at least one is required.',
    fields: (t) => ({
      ...filterFields(t),
      runIds: t.idList({ description: 'Only these runs: 1 to 1000 ids.' }),
      tags: t.field({ type: 'Tags', description: 'Only runs that have all of these tags.' }),
    }),
  });

const BulkReplayRunsInput = inputOf('BulkReplayRunsInput');
const BulkCancelRunsInput = inputOf('BulkCancelRunsInput');

const BulkFailureType = builder.objectRef<BulkFailure>('BulkFailure').implement({
  description: 'How many runs of a bulk call failed for one reason.',
  fields: (t) => ({
    reason: t.exposeString('reason', { description: 'Why they could not be changed.' }),
    count: t.exposeInt('count', { description: 'The number of those runs.' }),
  }),
});

/** The result of a bulk call; `done` is the name of the count of changed runs. */
const countsType = (name: string, done: string, { skipped, failed }: { skipped: string; failed: string }) =>
  builder.objectRef<BulkOutcome>(name).implement({
    fields: (t) => ({
      id: t.id({
        nullable: true,
        description:
          'Its entry in the audit log, and the `bulkId` of its runs. Null if the entry could not be written.',
        resolve: ({ id }) => id ?? null,
      }),
      failures: t.field({
        type: [BulkFailureType],
        description: 'The reasons of the failed ones.',
        resolve: ({ failures }) => failures,
      }),
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

const WorkflowCountType = builder.objectRef<WorkflowCount>('WorkflowCount').implement({
  description: 'How many runs are of one workflow.',
  fields: (t) => ({
    app: t.exposeString('app', { description: 'The one that registered the workflow.' }),
    workflow: t.exposeString('workflow', { description: 'The name under which it is registered.' }),
    count: t.exposeInt('count', { description: 'The number of its runs.' }),
  }),
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
    byStatus: t.expose('byStatus', { type: RunStatusCountsType, description: 'All matches by status.' }),
    byWorkflow: t.field({
      type: [WorkflowCountType],
      description: 'The workflows with the most matches, at most 20.',
      resolve: ({ byWorkflow }) => byWorkflow,
    }),
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
    resolve: (_root, { input: filter }, { engine, projectId }) =>
      previewBulkReplay(engine, { projectId, filter: toRunFilter(projectId, filter) }),
  }),
  bulkCancelPreview: t.field({
    type: BulkPreviewType,
    description: 'The runs that `bulkCancelRuns` would cancel. The query changes nothing.',
    args: { input: t.arg({ type: BulkCancelRunsInput, required: true }) },
    resolve: (_root, { input: filter }, { engine, projectId }) =>
      previewBulkCancel(engine, { projectId, filter: toRunFilter(projectId, filter) }),
  }),
}));

type BulkCall<Filter> = (
  engine: SchemaContext['engine'],
  call: { projectId: string; actor: string; filter: Filter },
) => Promise<BulkOutcome>;

/** Changes the runs of a filter. The same operation then reads them afresh. */
async function act<Filter>(context: SchemaContext, call: BulkCall<Filter>, filter: Filter): Promise<BulkOutcome> {
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
    resolve: (_root, { input }, context) => act(context, bulkReplayRuns, toRunFilter(context.projectId, input)),
  }),
  bulkCancelRuns: t.field({
    type: BulkCancelRunsPayload,
    description: 'Cancels the newest unfinished runs that match, and their children: at most 1000 per call.',
    args: { input: t.arg({ type: BulkCancelRunsInput, required: true }) },
    resolve: (_root, { input }, context) => act(context, bulkCancelRuns, toRunFilter(context.projectId, input)),
  }),
}));
