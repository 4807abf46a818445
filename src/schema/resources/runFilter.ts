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
