import { cancelRun } from '../engine/control/index.ts';
import { notFound } from '../engine/errors.ts';
import { isId } from '../engine/ids.ts';
import type { RunRow } from '../engine/runs/reads/index.ts';
import { builder } from './builder.ts';
import { RunType } from './runRef.ts';
import { findRun } from './runs.ts';

const CancelRunInput = builder.inputType('CancelRunInput', {
  fields: (t) => ({ runId: t.id({ required: true }) }),
});

const CancelRunPayload = builder.objectRef<{ run: RunRow }>('CancelRunPayload').implement({
  fields: (t) => ({ run: t.expose('run', { type: RunType }) }),
});

builder.mutationField('cancelRun', (t) =>
  t.field({
    type: CancelRunPayload,
    description: 'Ends a run and its unfinished children. A run that has ended is a `CONFLICT`.',
    args: { input: t.arg({ type: CancelRunInput, required: true }) },
    resolve: async (_root, { input: { runId } }, context) => {
      const { engine, projectId, principal } = context;
      if (!isId(runId)) throw notFound('run not found');
      await cancelRun(engine, { projectId, runId, actor: principal.keyName });
      context.refresh();
      const run = await findRun(context, runId);
      if (!run) throw notFound('run not found');
      return { run };
    },
  }),
);
