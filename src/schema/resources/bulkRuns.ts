import { type BulkCounts, bulkCancelRuns, bulkReplayRuns } from '../../engine/control/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { RunStatusFilterEnum, TriggerKindEnum } from '../machinery/enums.ts';

type InputFields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]>['fields']>[0];

const selection = 'All that is given must hold; something must be given.';

/** What selects the runs of either call. */
const filterOf = (t: InputFields) => ({
  app: t.string(),
  workflow: t.string(),
  status: t.field({ type: RunStatusFilterEnum }),
  runType: t.field({ type: TriggerKindEnum }),
  since: t.field({ type: 'DateTime', description: 'Runs that started at or after it.' }),
});

const BulkReplayRunsInput = builder.inputType('BulkReplayRunsInput', { description: selection, fields: filterOf });

const BulkCancelRunsInput = builder.inputType('BulkCancelRunsInput', {
  description: selection,
  fields: (t) => ({
    ...filterOf(t),
    tags: t.field({ type: 'Tags', description: 'All of them must be on a run.' }),
  }),
});

/**
 * What became of the runs that a call selected; `done` is the name of the count of those that it
 * acted on.
 */
const countsType = (name: string, done: string, { skipped, failed }: { skipped: string; failed: string }) =>
  builder.objectRef<BulkCounts>(name).implement({
    fields: (t) => ({
      matched: t.exposeInt('matched', {
        description: 'Runs that the filter selects, also those beyond the ceiling of a call; counted up to 100000.',
      }),
      [done]: t.exposeInt('done'),
      skipped: t.exposeInt('skipped', { description: skipped }),
      failed: t.exposeInt('failed', { description: failed }),
      capped: t.exposeBoolean('capped', {
        description: 'Whether more could be acted on than the 1000 of one call.',
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

type BulkCall<Filter> = (
  engine: SchemaContext['engine'],
  call: { projectId: string; actor: string; filter: Filter },
) => Promise<BulkCounts>;

/** Acts on what a filter selects. What the same operation reads afterwards is read afresh. */
async function act<Filter>(context: SchemaContext, call: BulkCall<Filter>, filter: Filter): Promise<BulkCounts> {
  const { engine, projectId, principal } = context;
  const counts = await call(engine, { projectId, actor: principal.keyName, filter });
  context.refresh();
  return counts;
}

builder.mutationFields((t) => ({
  bulkReplayRuns: t.field({
    type: BulkReplayRunsPayload,
    description: 'Starts the newest ended runs of a selection over as new ones: at most 1000 per call.',
    args: { input: t.arg({ type: BulkReplayRunsInput, required: true }) },
    resolve: (_root, { input }, context) => act(context, bulkReplayRuns, input),
  }),
  bulkCancelRuns: t.field({
    type: BulkCancelRunsPayload,
    description: 'Cancels the newest unfinished runs of a selection, with their children: at most 1000 per call.',
    args: { input: t.arg({ type: BulkCancelRunsInput, required: true }) },
    resolve: (_root, { input }, context) => act(context, bulkCancelRuns, input),
  }),
}));
