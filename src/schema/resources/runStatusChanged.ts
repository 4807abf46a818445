import { type RunStatusChange, tailProject } from '../../engine/timeline/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunStatusEnum } from '../machinery/enums.ts';
import { RunType } from './refs.ts';
import { findRun } from './runs.ts';

const RunStatusChangeType = builder.objectRef<RunStatusChange>('RunStatusChange').implement({
  description: 'A status transition of a run.',
  fields: (t) => ({
    runId: t.exposeID('runId'),
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    status: t.expose('status', { type: RunStatusEnum }),
    ts: t.expose('ts', { type: 'DateTime' }),
    run: t.field({
      type: RunType,
      nullable: true,
      description: 'The run in its present state.',
      resolve: ({ runId }, _args, context) => findRun(context, runId),
    }),
  }),
});

builder.subscriptionField('runStatusChanged', (t) =>
  t.field({
    type: RunStatusChangeType,
    description:
      'Status transitions of all runs from now on. Transitions may be missed: read the list again after a reconnect.',
    args: { app: t.arg.string(), workflow: t.arg.string() },
    subscribe: (_root, { app, workflow }, { engine, projectId }) =>
      tailProject(engine, { projectId, app: app ?? undefined, workflow: workflow ?? undefined }),
    resolve: (change) => change,
  }),
);
