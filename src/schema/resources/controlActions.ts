import { type ControlActionRow, listControlActions } from '../../engine/audit/index.ts';
import { builder } from '../machinery/builder.ts';
import { ControlActionKindEnum } from '../machinery/enums.ts';
import { readConnection } from '../machinery/fittingPage.ts';
import { payload } from '../machinery/payload.ts';
import { RunType } from './refs.ts';
import { findRun } from './runs.ts';

/** 2.13 */
const ControlActionType = builder.objectRef<ControlActionRow>('ControlAction').implement({
  description:
    'An entry of the audit log: a call that changed a run, an approval, a workflow, a webhook, a key or the project.',
  fields: (t) => ({
    id: t.exposeID('id'),
    action: t.expose('action', { type: ControlActionKindEnum }),
    runId: t.exposeID('runId', {
      nullable: true,
      description: 'The changed run; null for a bulk call, and for a workflow.',
    }),
    newRunId: t.exposeID('newRunId', { nullable: true, description: 'The run that the call created.' }),
    run: t.field({
      type: RunType,
      nullable: true,
      resolve: ({ runId }, _args, context) => (runId === null ? null : findRun(context, runId)),
    }),
    actor: t.exposeString('actor', { nullable: true, description: 'The name of the calling key.' }),
    detail: t.field({
      type: 'JSON',
      nullable: true,
      description: "The first repeated step, a bulk call's filter and counts, or the name of another changed thing.",
      resolve: ({ detail }) => payload(detail),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const ControlActionConnection = builder.connectionObject(
  { type: ControlActionType, name: 'ControlActionConnection' },
  { name: 'ControlActionEdge' },
);

builder.queryField('controlActions', (t) =>
  t.field({
    type: ControlActionConnection,
    description: 'The audit log, newest first: 100 by default, at most 1000.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      action: t.arg({ type: ControlActionKindEnum }),
      runId: t.arg.id({ description: 'Only entries that changed or created this run.' }),
      actor: t.arg.string({ description: 'Only calls with the key of this name.' }),
      since: t.arg({ type: 'DateTime', description: 'Only entries made at or after this instant.' }),
      until: t.arg({ type: 'DateTime', description: 'Only entries made before this instant.' }),
    },
    resolve: (_root, { first, after, ...filter }, { engine, projectId }) =>
      readConnection({ first, after }, (part) => listControlActions(engine, { projectId, ...filter, ...part })),
  }),
);
