import { cancelRun, pauseRun, replayRun, resumeRun, retryRunFromStep } from '../../engine/control/index.ts';
import { notFound } from '../../engine/errors.ts';
import type { RunRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { dataOf } from './events.ts';
import { RunType } from './refs.ts';
import { findRun } from './runs.ts';

/** 4.6. Each call answers the changed run. */
interface RunAnswer {
  run: RunRow;
}

const inputOf = (name: string) =>
  builder.inputType(name, { fields: (t) => ({ runId: t.id({ required: true, description: 'The run to change.' }) }) });

const payloadOf = (name: string) =>
  builder.objectRef<RunAnswer>(name).implement({ fields: (t) => ({ run: t.expose('run', { type: RunType }) }) });

/** Changes a run in the caller's name, and forgets earlier reads of it. */
async function control(
  context: SchemaContext,
  runId: string,
  act: (call: { projectId: string; runId: string; actor: string }) => Promise<RunRow>,
): Promise<RunAnswer> {
  const { projectId, principal } = context;
  const run = await act({ projectId, runId, actor: principal.keyName });
  context.refresh();
  return { run };
}

const CancelRunInput = inputOf('CancelRunInput');
const CancelRunPayload = payloadOf('CancelRunPayload');

builder.mutationField('cancelRun', (t) =>
  t.field({
    type: CancelRunPayload,
    description: 'Cancels a run and its unfinished children. The error is `CONFLICT` if the run has ended.',
    args: { input: t.arg({ type: CancelRunInput, required: true }) },
    resolve: (_root, { input: { runId } }, context) =>
      control(context, runId, async (call) => {
        await cancelRun(context.engine, call);
        context.refresh();
        const run = await findRun(context, runId);
        if (!run) throw notFound('run not found');
        return run;
      }),
  }),
);

const PauseRunInput = inputOf('PauseRunInput');
const PauseRunPayload = payloadOf('PauseRunPayload');

builder.mutationField('pauseRun', (t) =>
  t.field({
    type: PauseRunPayload,
    description:
      'Pauses a run before its next step. During a pass it stays `RUNNING`, with `pausedBy` set, until the pass ends. ' +
      'A paused run stays unchanged. The error is `CONFLICT` if the run has ended.',
    args: { input: t.arg({ type: PauseRunInput, required: true }) },
    resolve: (_root, { input: { runId } }, context) =>
      control(context, runId, (call) => pauseRun(context.engine, call)),
  }),
);

const ResumeRunInput = inputOf('ResumeRunInput');
const ResumeRunPayload = payloadOf('ResumeRunPayload');

builder.mutationField('resumeRun', (t) =>
  t.field({
    type: ResumeRunPayload,
    description:
      'Resumes a paused run: it is `QUEUED`, or `WAITING` or `NEEDS_ATTENTION` if nothing is due yet. A pause that has not ' +
      'taken effect is withdrawn. The error is `CONFLICT` if the run is not paused.',
    args: { input: t.arg({ type: ResumeRunInput, required: true }) },
    resolve: (_root, { input: { runId } }, context) =>
      control(context, runId, (call) => resumeRun(context.engine, call)),
  }),
);

const ReplayRunInput = builder.inputType('ReplayRunInput', {
  fields: (t) => ({
    runId: t.id({ required: true, description: 'The run to replay.' }),
    input: t.field({ type: 'JSON', description: 'Replaces the input of the run.' }),
  }),
});
const ReplayRunPayload = payloadOf('ReplayRunPayload');

builder.mutationField('replayRun', (t) =>
  t.field({
    type: ReplayRunPayload,
    description:
      'Replays an ended run as a new run, and answers the new one. The error is `CONFLICT` if the run has not ended.',
    args: { input: t.arg({ type: ReplayRunInput, required: true }) },
    resolve: (_root, { input: { runId, input } }, context) =>
      control(context, runId, (call) => replayRun(context.engine, { ...call, input: dataOf(input) })),
  }),
);

const RetryRunFromStepInput = builder.inputType('RetryRunFromStepInput', {
  fields: (t) => ({
    runId: t.id({ required: true, description: 'The run to replay.' }),
    step: t.string({ required: true, description: 'The name of the first step to execute again.' }),
  }),
});
const RetryRunFromStepPayload = payloadOf('RetryRunFromStepPayload');

builder.mutationField('retryRunFromStep', (t) =>
  t.field({
    type: RetryRunFromStepPayload,
    description:
      'Repeats an ended run from `step` on, and answers the new run. It has the results of the earlier steps. ' +
      'The error is `CONFLICT` if the run has not ended.',
    args: { input: t.arg({ type: RetryRunFromStepInput, required: true }) },
    resolve: (_root, { input: { runId, step } }, context) =>
      control(context, runId, (call) => retryRunFromStep(context.engine, { ...call, step })),
  }),
);
