import {
  changeIntervals,
  heldChanges,
  maxChanges,
  type RunStatusChange,
  type StatusChanges,
  tailProject,
  tailStatusChanges,
} from '../../engine/timeline/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunStatusEnum } from '../machinery/enums.ts';
import { RunType } from './refs.ts';
import { findRun } from './runs.ts';

const statusesText = 'Only transitions to one of these statuses. An empty list counts as absent.';

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

const StatusChangesType = builder.objectRef<StatusChanges>('RunStatusChanges').implement({
  description: 'Status transitions since the message before.',
  fields: (t) => ({
    changes: t.field({
      type: [RunStatusChangeType],
      description: `The transitions, oldest first: at most ${maxChanges}. The first message may have none.`,
      resolve: ({ changes }) => changes,
    }),
    cursor: t.exposeString('cursor', { description: 'The place after these transitions, for `after`.' }),
    isGap: t.exposeBoolean('isGap', {
      description: 'Whether transitions before this message may be missing. Then read the list again.',
    }),
  }),
});

builder.subscriptionFields((t) => ({
  runStatusChanged: t.field({
    type: RunStatusChangeType,
    description:
      'Status transitions of all runs from now on. Transitions may be missed: read the list again after a reconnect.',
    args: {
      app: t.arg.string(),
      workflow: t.arg.string(),
      statuses: t.arg({ type: [RunStatusEnum], description: statusesText }),
    },
    subscribe: (_root, { app, workflow, statuses }, { engine, projectId }) =>
      tailProject(engine, {
        projectId,
        app: app ?? undefined,
        workflow: workflow ?? undefined,
        statuses: statuses ?? undefined,
      }),
    resolve: (change) => change,
  }),
  runStatusChanges: t.field({
    type: StatusChangesType,
    description:
      'Status transitions of all runs, several at once, after a place that an earlier message named. The first message comes at once.',
    args: {
      app: t.arg.string({ description: 'Only runs of this app.' }),
      workflow: t.arg.string({ description: 'Only runs of workflows with this name.' }),
      statuses: t.arg({ type: [RunStatusEnum], description: statusesText }),
      after: t.arg.string({
        description: `The \`cursor\` of the last message. A process keeps the last ${heldChanges} transitions of a project, and for two minutes after its last reader left. The first message is a gap if the process does not know the place.`,
      }),
      intervalMs: t.arg.int({
        description: `The smallest time between two messages: ${changeIntervals.default} by default, at most ${changeIntervals.max}.`,
      }),
    },
    subscribe: (_root, asked, { engine, projectId }) => tailStatusChanges(engine, { projectId, ...asked }),
    resolve: (message) => message,
  }),
}));
