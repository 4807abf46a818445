import { type ControlActionRow, listControlActions } from '../../engine/audit/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import { builder } from '../machinery/builder.ts';
import { ControlActionKindEnum } from '../machinery/enums.ts';
import { toConnection } from '../machinery/fittingPage.ts';
import { payload } from '../machinery/payload.ts';
import { RunType } from './refs.ts';
import { findRun } from './runs.ts';

/** 2.13 */
const ControlActionType = builder.objectRef<ControlActionRow>('ControlAction').implement({
  description: 'A call that changed a run or decided an approval, as the audit log keeps it.',
  fields: (t) => ({
    id: t.exposeID('id'),
    action: t.expose('action', { type: ControlActionKindEnum }),
    runId: t.exposeID('runId', { nullable: true, description: 'The run that was acted on; none for a bulk call.' }),
    newRunId: t.exposeID('newRunId', { nullable: true, description: 'The run that it made.' }),
    run: t.field({
      type: RunType,
      nullable: true,
      resolve: ({ runId }, _args, context) => (runId === null ? null : findRun(context, runId)),
    }),
    actor: t.exposeString('actor', { nullable: true, description: 'The name of the key that called.' }),
    detail: t.field({
      type: 'JSON',
      nullable: true,
      description: "The step resumed from, or a bulk call's filter and counts.",
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
      runId: t.arg.id({ description: 'Entries about this run, or whose new run it is.' }),
    },
    resolve: async (_root, { first, after, action, runId }, { engine, projectId }) => {
      const cursor = after ?? undefined;
      const limit = pageSize(first, 'first');
      return toConnection(await listControlActions(engine, { projectId, action, runId, after: cursor, limit }), cursor);
    },
  }),
);
