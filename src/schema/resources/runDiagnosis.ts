import {
  type AlikeFailures,
  cancellers,
  type FailedStep,
  failureKinds,
  type NextCall,
  nextActions,
  type RunCancellation,
  type RunDiagnosis,
  type RunFailure,
  runVerdicts,
} from '../../engine/diagnosis/index.ts';
import { RawJson } from '../../engine/json/index.ts';
import type { RunRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { inCapitals, RunStatusEnum } from '../machinery/enums.ts';
import { ErrorDetailType, toErrorDetail } from '../machinery/payload.ts';
import { RunType } from './refs.ts';
import { LogLineType, toLogLine } from './runLogs.ts';
import { RunWaitType } from './runWaits.ts';

const RunVerdictEnum = builder.enumType('RunVerdict', {
  description: 'The state of a run in one word. It is finer than the status: it tells who must act.',
  values: inCapitals(runVerdicts),
});

const FailureKindEnum = builder.enumType('RunFailureKind', {
  description: 'Why a run failed.',
  values: inCapitals(failureKinds),
});

const CancellerEnum = builder.enumType('RunCanceller', {
  description:
    '`CALLER` cancelled this very run, `BULK` by a filter, `EVENT` by `cancelOn`. `PARENT` had ended, and `SINGLETON` was taken by a newer run.',
  values: inCapitals(cancellers),
});

const NextActionEnum = builder.enumType('NextAction', {
  description: 'A call, by the name of its agent tool.',
  values: inCapitals(nextActions),
});

const FailedStepType = builder.objectRef<FailedStep>('FailedStep').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    index: t.exposeInt('index'),
    attempts: t.exposeInt('attempts'),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    endedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ endedAt }) => endedAt ?? null }),
  }),
});

const AlikeFailuresType = builder.objectRef<AlikeFailures>('AlikeFailures').implement({
  description:
    'Runs of the same workflow that failed within 24 h at the same step with a like error. Names of errors must be equal. Numbers and ids in messages count as equal.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Without this run.' }),
    isMore: t.exposeBoolean('isMore', { description: 'Whether the search ended at its limit, so there may be more.' }),
    first: t.field({ type: 'DateTime', nullable: true, resolve: ({ first }) => first ?? null }),
    last: t.field({ type: 'DateTime', nullable: true, resolve: ({ last }) => last ?? null }),
    runIds: t.exposeIDList('runIds', { description: 'The newest, at most three.' }),
  }),
});

const RunFailureType = builder.objectRef<RunFailure>('RunFailure').implement({
  fields: (t) => ({
    kind: t.expose('kind', { type: FailureKindEnum }),
    step: t.field({
      type: FailedStepType,
      nullable: true,
      description: 'The step whose failure ended the run; null if no step did.',
      resolve: ({ step }) => step ?? null,
    }),
    maxAttempts: t.int({
      nullable: true,
      description: 'By the policy of the workflow. A step may have its own.',
      resolve: ({ maxAttempts }) => maxAttempts ?? null,
    }),
    error: t.field({ type: ErrorDetailType, nullable: true, resolve: ({ error }) => toErrorDetail(error) }),
    childRunId: t.id({ nullable: true, resolve: ({ childRunId }) => childRunId ?? null }),
    approvalId: t.id({ nullable: true, resolve: ({ approvalId }) => approvalId ?? null }),
    logs: t.field({
      type: [LogLineType],
      description: 'The last 20 lines.',
      resolve: ({ logs }) => logs.map(toLogLine),
    }),
    alike: t.expose('alike', { type: AlikeFailuresType }),
  }),
});

const RunCancellationType = builder.objectRef<RunCancellation>('RunCancellation').implement({
  fields: (t) => ({
    by: t.expose('by', { type: CancellerEnum }),
    actor: t.string({ nullable: true, resolve: ({ actor }) => actor ?? null }),
    eventId: t.id({ nullable: true, resolve: ({ eventId }) => eventId ?? null }),
    runId: t.id({
      nullable: true,
      description: 'The parent.',
      resolve: ({ runId }) => runId ?? null,
    }),
  }),
});

const NextCallType = builder.objectRef<NextCall>('NextCall').implement({
  description: 'A call that could follow.',
  fields: (t) => ({
    action: t.expose('action', { type: NextActionEnum }),
    arguments: t.field({
      type: 'JSON',
      description: 'Its arguments, by their names in REST.',
      resolve: (call) => RawJson.of(call.arguments),
    }),
    why: t.exposeString('why'),
  }),
});

const RunDiagnosisType = builder.objectRef<RunDiagnosis>('RunDiagnosis').implement({
  description:
    'Why a run is where it is, derived from records. `summary` and `why` are the words of the service only; texts of others stand in the other fields.',
  fields: (t) => ({
    status: t.expose('status', { type: RunStatusEnum }),
    verdict: t.expose('verdict', { type: RunVerdictEnum }),
    summary: t.exposeString('summary'),
    causes: t.field({
      type: [RunWaitType],
      description: '`waiting` of the run.',
      resolve: ({ causes }) => [...causes],
    }),
    failure: t.field({ type: RunFailureType, nullable: true, resolve: ({ failure }) => failure ?? null }),
    cancellation: t.field({
      type: RunCancellationType,
      nullable: true,
      resolve: ({ cancellation }) => cancellation ?? null,
    }),
    next: t.field({ type: [NextCallType], resolve: ({ next }) => [...next] }),
  }),
});

async function diagnose(run: RunRow, { loaders }: SchemaContext): Promise<RunDiagnosis> {
  const diagnosis = await loaders.runs.diagnosis.load(run);
  if (!diagnosis) throw new Error('a diagnosis was not made');
  return diagnosis;
}

builder.objectFields(RunType, (t) => ({
  diagnosis: t.field({
    type: RunDiagnosisType,
    description: 'Why the run failed, was cancelled or does not move, and what could be done.',
    resolve: (run, _args, context) => diagnose(run, context),
  }),
  cancelledBy: t.field({
    type: RunCancellationType,
    nullable: true,
    description: 'Who or what cancelled it. Null for other runs.',
    resolve: async (run, _args, context) =>
      run.status === 'cancelled' ? ((await diagnose(run, context)).cancellation ?? null) : null,
  }),
}));
