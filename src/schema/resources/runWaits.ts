import {
  type ApprovalWait,
  type CeilingWait,
  type ChildWait,
  type ConcurrencyWait,
  type DispatcherWait,
  type EventWait,
  type InferenceWait,
  type PausedWait,
  type RefusedEvent,
  type RetryWait,
  type RunnerWait,
  type RunWait,
  type RunWaitKind,
  runnerLacks,
  runWaitKinds,
  type SleepWait,
  type SpentBudget,
  type StartWait,
  startPolicies,
  type TransportWait,
  type WaitingStep,
} from '../../engine/diagnosis/index.ts';
import { isTerminal } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { ApprovalOnTimeoutEnum, inCapitals, PauseReasonEnum, RunStatusEnum } from '../machinery/enums.ts';
import { ErrorDetailType, toErrorDetail } from '../machinery/payload.ts';
import { InferenceLaneType } from './inferenceLanes.ts';
import { RunType } from './refs.ts';

export const RunWaitKindEnum = builder.enumType('RunWaitKind', {
  description: 'The cause for which a run does not move. Each kind has its type.',
  values: inCapitals(runWaitKinds),
});

const StartPolicyEnum = builder.enumType('StartPolicy', {
  description: 'A policy that delays starts.',
  values: { THROTTLE: { value: startPolicies[0] }, TOKEN_THROTTLE: { value: startPolicies[1] } },
});

const RunnerLackEnum = builder.enumType('RunnerLack', {
  description:
    '`NONE`: no runner ever registered the workflow. `GONE`: those that did are not live. `FULL`: the live ones execute as many runs as they may. `FREE`: a dispatcher takes the run next.',
  values: inCapitals(runnerLacks),
});

const WaitingStepType = builder.objectRef<WaitingStep>('WaitingStep').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    index: t.exposeInt('index'),
    attempt: t.exposeInt('attempt'),
  }),
});

const RefusedEventType = builder.objectRef<RefusedEvent>('RefusedEvent').implement({
  description: 'An event of the awaited name, for which the guard did not hold.',
  fields: (t) => ({
    id: t.exposeID('id'),
    receivedAt: t.expose('receivedAt', { type: 'DateTime' }),
  }),
});

const SpentBudgetType = builder.objectRef<SpentBudget>('SpentBudget').implement({
  description: 'The limits of the budget that paused a run. `flowState` tells the spend.',
  fields: (t) => ({
    windowMs: t.exposeFloat('windowMs'),
    maxCost: t.float({ nullable: true, resolve: ({ maxCost }) => maxCost ?? null }),
    maxTokens: t.float({ nullable: true, resolve: ({ maxTokens }) => maxTokens ?? null }),
  }),
});

const typeNames: Readonly<Record<RunWaitKind, string>> = {
  paused: 'PausedWait',
  dispatcher: 'DispatcherWait',
  runner: 'RunnerWait',
  transport: 'TransportWait',
  approval: 'ApprovalWait',
  start: 'StartWait',
  concurrency: 'ConcurrencyWait',
  ceiling: 'CeilingWait',
  retry: 'RetryWait',
  inference: 'InferenceWait',
  child: 'ChildWait',
  event: 'EventWait',
  sleep: 'SleepWait',
};

/** A cause for which an unfinished run does not move. The list of its types is closed. */
export const RunWaitType = builder.interfaceRef<RunWait>('RunWait').implement({
  description: 'A cause for which an unfinished run does not move. Each kind has its own type.',
  resolveType: ({ kind }) => typeNames[kind],
  fields: (t) => ({
    kind: t.expose('kind', { type: RunWaitKindEnum }),
    since: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it holds; null if that is not recorded.',
      resolve: ({ since }) => since ?? null,
    }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ends by itself. A wait for a runner ends with the failure of the run.',
      resolve: ({ until }) => until ?? null,
    }),
    step: t.field({
      type: WaitingStepType,
      nullable: true,
      description: 'The step that waits; null if the whole run does.',
      resolve: (wait) => ('step' in wait ? (wait.step ?? null) : null),
    }),
  }),
});

const interfaces = [RunWaitType];

builder.objectRef<PausedWait>('PausedWait').implement({
  description: 'A person or a budget paused the run.',
  interfaces,
  fields: (t) => ({
    reason: t.expose('reason', { type: PauseReasonEnum }),
    actor: t.string({
      nullable: true,
      description: 'The key of the person.',
      resolve: ({ actor }) => actor ?? null,
    }),
    budget: t.field({ type: SpentBudgetType, nullable: true, resolve: ({ budget }) => budget ?? null }),
  }),
});

builder.objectRef<DispatcherWait>('DispatcherWait').implement({
  description: 'No process with the role `dispatcher` is alive, or the one that executed the run is silent.',
  interfaces,
  fields: (t) => ({ alive: t.exposeInt('alive') }),
});

const aheadDescription = 'Runs that have their turn before, counted up to 1000.';
const isMoreDescription = 'Whether more than those counted are ahead.';

builder.objectRef<RunnerWait>('RunnerWait').implement({
  description: 'The run is to be executed, and no runner has taken it.',
  interfaces,
  fields: (t) => ({
    lack: t.expose('lack', { type: RunnerLackEnum }),
    app: t.exposeString('app'),
    workflow: t.exposeString('workflow'),
    runner: t.string({
      nullable: true,
      description: 'The runner to which the run is pinned.',
      resolve: ({ runner }, _args, context) => (runner === undefined ? null : context.shownUrl(runner)),
    }),
    registered: t.exposeInt('registered', { description: 'Runners that registered the workflow.' }),
    live: t.exposeInt('live'),
    limit: t.exposeInt('limit', { description: 'Runs that the live runners execute at once.' }),
    inUse: t.exposeInt('inUse', { description: 'Runs that they execute.' }),
    ahead: t.int({ description: aheadDescription, resolve: ({ ahead }) => ahead.count }),
    isMoreAhead: t.boolean({ description: isMoreDescription, resolve: ({ ahead }) => ahead.isMore }),
  }),
});

builder.objectRef<TransportWait>('TransportWait').implement({
  description: 'A runner did not answer, so the same pass is sent again at `until`.',
  interfaces,
  fields: (t) => ({
    failures: t.exposeInt('failures', { description: 'Invokes without an answer. A time-out counts as three.' }),
    maxFailures: t.exposeInt('maxFailures', { description: 'The run fails at so many.' }),
    error: t.field({ type: ErrorDetailType, nullable: true, resolve: ({ error }) => toErrorDetail(error) }),
  }),
});

builder.objectRef<ApprovalWait>('ApprovalWait').implement({
  description: 'A person must decide.',
  interfaces,
  fields: (t) => ({
    approvalId: t.exposeID('approvalId'),
    tool: t.exposeString('tool'),
    risk: t.exposeString('risk'),
    isEscalated: t.exposeBoolean('isEscalated', { description: 'Its deadline has passed, and it has none any more.' }),
    onTimeout: t.expose('onTimeout', { type: ApprovalOnTimeoutEnum }),
  }),
});

builder.objectRef<StartWait>('StartWait').implement({
  description: 'The start of the run is delayed until `until`.',
  interfaces,
  fields: (t) => ({
    policy: t.field({
      type: StartPolicyEnum,
      nullable: true,
      description: 'Null if the caller asked for the delay, or if a registration has removed the policy.',
      resolve: ({ policy }) => policy ?? null,
    }),
    key: t.string({ nullable: true, resolve: ({ key }) => key ?? null }),
  }),
});

builder.objectRef<ConcurrencyWait>('ConcurrencyWait').implement({
  description: 'All slots of the `concurrency` scope are taken.',
  interfaces,
  fields: (t) => ({
    key: t.string({
      nullable: true,
      description: 'The value at the key of the policy; null for the whole workflow.',
      resolve: ({ key }) => key ?? null,
    }),
    limit: t.exposeInt('limit'),
    inUse: t.exposeInt('inUse'),
    holders: t.exposeIDList('holders', { description: 'Runs that hold a slot, at most 20.' }),
    ahead: t.int({ description: aheadDescription, resolve: ({ ahead }) => ahead.count }),
    isMoreAhead: t.boolean({ description: isMoreDescription, resolve: ({ ahead }) => ahead.isMore }),
  }),
});

builder.objectRef<CeilingWait>('CeilingWait').implement({
  description: 'The project executes as many runs as its ceiling allows.',
  interfaces,
  fields: (t) => ({
    limit: t.exposeInt('limit'),
    inUse: t.exposeInt('inUse'),
    holders: t.exposeIDList('holders', { description: 'Runs that execute, at most 20.' }),
    ahead: t.int({ description: aheadDescription, resolve: ({ ahead }) => ahead.count }),
    isMoreAhead: t.boolean({ description: isMoreDescription, resolve: ({ ahead }) => ahead.isMore }),
  }),
});

builder.objectRef<RetryWait>('RetryWait').implement({
  description: 'A failed step, or the handler, is tried again at `until`.',
  interfaces,
  fields: (t) => ({
    nextAttempt: t.exposeInt('nextAttempt', { description: 'The attempt that comes.' }),
    maxAttempts: t.int({
      nullable: true,
      description: 'By the policy of the workflow. A step may have its own.',
      resolve: ({ maxAttempts }) => maxAttempts ?? null,
    }),
    error: t.field({ type: ErrorDetailType, nullable: true, resolve: ({ error }) => toErrorDetail(error) }),
  }),
});

builder.objectRef<InferenceWait>('InferenceWait').implement({
  description: 'A model is to answer. `until` is the deadline of the step.',
  interfaces,
  fields: (t) => ({
    lane: t.expose('lane', { type: InferenceLaneType, description: 'The calls beside which this one waits.' }),
    isInFlight: t.exposeBoolean('isInFlight', { description: 'Whether a process of the role has taken the call.' }),
    isCapped: t.exposeBoolean('isCapped', {
      description: 'Whether it waits for other calls of the run, which may reach its cap.',
    }),
    nextSendAt: t.expose('nextSendAt', { type: 'DateTime', description: 'When it may be sent.' }),
  }),
});

builder.objectRef<ChildWait>('ChildWait').implement({
  description: 'A child run must end.',
  interfaces,
  fields: (t) => ({
    childRunId: t.exposeID('childRunId'),
    childStatus: t.expose('childStatus', { type: RunStatusEnum }),
    path: t.exposeIDList('path', {
      description: 'The child, its child, and so on, to the run whose first cause is no child: at most 10 runs.',
    }),
    because: t.field({
      type: RunWaitType,
      nullable: true,
      description: 'The first cause of the last run of `path`; null if that executes.',
      resolve: ({ because }) => because ?? null,
    }),
  }),
});

builder.objectRef<EventWait>('EventWait').implement({
  description: 'An event must come. `until` is the timeout of the step.',
  interfaces,
  fields: (t) => ({
    eventName: t.exposeString('eventName'),
    guard: t.string({ nullable: true, resolve: ({ guard }) => guard ?? null }),
    refused: t.field({
      type: [RefusedEventType],
      description: 'The last three events of the name that came meanwhile, and that the guard refused.',
      resolve: ({ refused }) => [...refused],
    }),
  }),
});

builder.objectRef<SleepWait>('SleepWait').implement({ description: 'A sleep must end.', interfaces });

builder.objectField(RunType, 'waiting', (t) =>
  t.field({
    type: [RunWaitType],
    description:
      'All that must happen before the run moves, the most important cause first: at most 20 steps. Any one of several waiting steps lets it go on. Empty while the run executes, and once it has ended.',
    resolve: ({ id, status }, _args, { loaders }) =>
      isTerminal(status) ? [] : loaders.runs.waiting.load(id).then((causes) => causes ?? []),
  }),
);
