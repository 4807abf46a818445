import { type BulkCounts, bulkCancelRuns, bulkReplayRuns } from '../engine/control/index.ts';
import { builder } from './builder.ts';
import { RunStatusFilterEnum, TriggerKindEnum } from './enums.ts';

const matched = 'Runs that the filter selects, also those beyond the ceiling of a call; counted up to 100000.';
const capped = 'Whether more could be acted on than the 1000 of one call.';

const BulkReplayRunsInput = builder.inputType('BulkReplayRunsInput', {
  description: 'All that is given must hold; something must be given.',
  fields: (t) => ({
    app: t.string(),
    workflow: t.string(),
    status: t.field({ type: RunStatusFilterEnum }),
    runType: t.field({ type: TriggerKindEnum }),
    since: t.field({ type: 'DateTime', description: 'Runs that started at or after it.' }),
  }),
});

const BulkReplayRunsPayload = builder.objectRef<BulkCounts>('BulkReplayRunsPayload').implement({
  fields: (t) => ({
    matched: t.exposeInt('matched', { description: matched }),
    replayed: t.exposeInt('done'),
    skipped: t.exposeInt('skipped', { description: 'Matches that have not ended.' }),
    failed: t.exposeInt('failed', { description: 'Matches that could not be replayed.' }),
    capped: t.exposeBoolean('capped', { description: capped }),
  }),
});

const BulkCancelRunsInput = builder.inputType('BulkCancelRunsInput', {
  description: 'All that is given must hold; something must be given.',
  fields: (t) => ({
    app: t.string(),
    workflow: t.string(),
    status: t.field({ type: RunStatusFilterEnum }),
    runType: t.field({ type: TriggerKindEnum }),
    tags: t.field({ type: 'Tags', description: 'All of them must be on a run.' }),
    since: t.field({ type: 'DateTime', description: 'Runs that started at or after it.' }),
  }),
});

const BulkCancelRunsPayload = builder.objectRef<BulkCounts>('BulkCancelRunsPayload').implement({
  fields: (t) => ({
    matched: t.exposeInt('matched', { description: matched }),
    cancelled: t.exposeInt('done'),
    skipped: t.exposeInt('skipped', { description: 'Matches that have ended, also while the call was under way.' }),
    failed: t.exposeInt('failed', { description: 'Matches that could not be cancelled.' }),
    capped: t.exposeBoolean('capped', { description: capped }),
  }),
});

builder.mutationFields((t) => ({
  bulkReplayRuns: t.field({
    type: BulkReplayRunsPayload,
    description: 'Starts the newest ended runs of a selection over as new ones: at most 1000 per call.',
    args: { input: t.arg({ type: BulkReplayRunsInput, required: true }) },
    resolve: async (_root, { input: filter }, context) => {
      const { engine, projectId, principal } = context;
      const counts = await bulkReplayRuns(engine, { projectId, actor: principal.keyName, filter });
      context.refresh();
      return counts;
    },
  }),
  bulkCancelRuns: t.field({
    type: BulkCancelRunsPayload,
    description: 'Cancels the newest unfinished runs of a selection, with their children: at most 1000 per call.',
    args: { input: t.arg({ type: BulkCancelRunsInput, required: true }) },
    resolve: async (_root, { input: filter }, context) => {
      const { engine, projectId, principal } = context;
      const counts = await bulkCancelRuns(engine, { projectId, actor: principal.keyName, filter });
      context.refresh();
      return counts;
    },
  }),
}));
