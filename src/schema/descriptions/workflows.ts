import type { Texts, TypeTexts } from './texts.ts';

const named = { app: 'The app that registered the workflow.', name: 'The name of the workflow within its app.' };

const counted: TypeTexts = {
  app: 'The app of the workflow.',
  workflow: 'The name of the workflow within its app.',
};

const scoped = 'A dotted path into the event data. Each value is a scope. Null for one scope.';

/** Apps, workflows, runners and flow control. */
export const workflowTexts: Texts = {
  FlowBufferPolicy: {
    BATCH: 'The starts become one run, when there are enough of them or the first has waited long.',
    DEBOUNCE: 'The last start becomes a run, after a quiet period.',
  },
  App: {
    _: 'A set of workflows that one code base registers.',
    createdAt: 'When a runner first registered it.',
    name: 'Unique in the project. Events, workflows and runs refer to it.',
  },
  Workflow: {
    app: 'The app that registered it.',
    name: 'Unique within its app. It also names the event that starts it if `triggers` is null.',
    backoff: 'The growth of the delay between attempts.',
    flowControl: 'Its policies. Null if it has none.',
    maxAttempts: 'Attempts of the handler and of each step, unless the step has its own; 1 means no retry.',
    onFailure: 'Whether a failed run starts a handler for failures as a new run.',
    registeredAt: 'When a runner first registered it.',
    scheduled: 'Whether it has at least one schedule.',
    schedules: 'Its cron triggers with their times, by expression. Null if it has none.',
    steps: 'Steps that it declares, for display. Null if it declares none.',
    triggers: 'Events and schedules that start it. Null: an event with its name does.',
    updatedAt: 'When a registration last changed it.',
  },
  Backoff: {
    _: 'The growth of the delay between attempts.',
    EXPONENTIAL: 'Each delay is twice the one before, up to a bound.',
    FIXED: 'All delays are equal.',
    LINEAR: 'Each delay adds the first one, up to a bound.',
  },
  Trigger: {
    cron: 'A cron expression, in UTC unless `CRON_TZ=` names a zone. Null for an event.',
    event: 'The name of the event; a final `*` matches any rest. Null for a schedule.',
  },
  CancelTrigger: { event: 'The name of the event; a final `*` matches any rest.' },
  StepManifestEntry: {
    description: 'A label for people. Null if the workflow gives none.',
    hidden: 'True for a step that progress views leave out. Null otherwise.',
    name: 'The id of the step in its handler.',
  },
  Schedule: {
    _: 'A cron trigger with its times.',
    cron: 'The expression as registered: five or six fields, perhaps with a time zone.',
    lastFiredAt: 'The last time at which it started a run. Null if it never did.',
    nextFireAt: 'The next time at which it is due, by its time zone.',
  },
  Runner: {
    app: 'The app whose workflows it executes.',
    framework: '`connect` for a socket, else the HTTP framework. Null if not reported.',
    language: 'The language of its SDK. Null if not reported.',
    lastSeenAt: 'Its last heartbeat or answered probe. Not exact to the second.',
    maxInFlight: 'Passes that it executes at once; 100 unless it says otherwise.',
    region: 'The region of its deployment. Null if not reported.',
    runtime: '`node`, `bun` or `deno`. Null if not reported.',
    sdkName: 'The package of its SDK. Null if not reported.',
    version: 'The version of its SDK. Null if not reported.',
  },
  RetireWorkflowInput: { _: 'The workflow that goes to sleep.', ...named },
  RetireWorkflowPayload: {
    _: 'The workflow after the call.',
    workflow: 'Its `retiredAt` is set, by this call or an earlier one.',
  },
  RestoreWorkflowInput: { _: 'The workflow that wakes up.', ...named },
  RestoreWorkflowPayload: { _: 'The workflow after the call.', workflow: 'Its `retiredAt` is null.' },
  FlowControl: {
    batch: 'Collects events for one run.',
    budget: 'Limits the model spend of the workflow per window.',
    cap: 'Limits the model spend of one run.',
    concurrency: 'Limits the runs that execute at once.',
    debounce: 'Merges a burst of events into one run after quiet.',
    idempotency: 'Handles equal events once per period.',
    priority: 'Moves runs forward or backward in the queue.',
    rateLimit: 'Drops starts beyond the rate.',
    singleton: 'Allows one unfinished run per key.',
    throttle: 'Spaces starts evenly, and drops none.',
    tokenThrottle: 'Delays starts until tokens are refilled.',
  },
  FlowBatch: {
    _: 'A run of many events. It starts when either limit is reached.',
    key: scoped,
    maxSize: 'Events that fill a batch.',
    timeoutMs: 'Milliseconds after the first event, at which an unfilled batch starts.',
  },
  FlowBudget: {
    _: 'A limit of the model spend of a workflow. Runs pause while it is spent.',
    maxTokens: 'Input and output tokens per window. Null if tokens are not limited.',
    warnAtPct: 'The share of a limit that logs a warning, from 1 to 99 percent. Null for none.',
    windowMs: 'The trailing window, in milliseconds.',
  },
  FlowCap: {
    _: 'A limit of the model spend of one run. The call after it fails the run.',
    maxTokens: 'Input and output tokens per run. Null if tokens are not limited.',
  },
  FlowConcurrency: {
    _: 'A limit of the runs that execute at once. Further runs wait in order.',
    key: scoped,
    limit: 'Runs per scope. Parked runs do not count.',
  },
  FlowDebounce: {
    _: 'A delay that each new event of the scope begins again. The last event runs.',
    key: scoped,
    periodMs: 'Milliseconds of quiet before the run.',
  },
  FlowIdempotency: {
    _: 'A window in which equal events start one run.',
    key: scoped,
    periodMs: 'The window in milliseconds. Null means 24 hours.',
  },
  FlowPriority: {
    _: 'A place in the queue as of another time of arrival.',
    shiftMs: 'Milliseconds by which runs count as earlier; later if negative.',
  },
  FlowRate: {
    _: 'A rate of starts. `throttle` delays starts beyond it, `rateLimit` drops them.',
    key: scoped,
    limit: 'Starts per `perMs`.',
    perMs: 'The period of the rate, in milliseconds.',
  },
  FlowSingleton: {
    _: 'One unfinished run per scope.',
    key: scoped,
    mode: 'The run that yields. Null means `CANCEL`.',
  },
  SingletonMode: {
    _: 'The run that yields to the other.',
    CANCEL: 'The new run starts, and the former one is cancelled.',
    SKIP: 'The former run stays, and the new start is skipped.',
  },
  FlowTokenThrottle: {
    _: 'A bucket of tokens, from which AI steps take as many as they used.',
    key: scoped,
    perMs: 'Milliseconds in which an empty bucket fills up.',
    tokens: 'Tokens of a full bucket.',
  },
  FlowState: {
    batch: 'Batches that are being filled, per workflow.',
    budgets: 'All budgets with their present spend.',
    concurrency: 'The ceiling of the project, over all workflows.',
    debounce: 'Starts that wait for quiet, per workflow.',
    throttle: 'Scopes with delayed starts.',
    tokenThrottle: 'Buckets with their present tokens.',
  },
  FlowBatchState: { _: 'Batches of one workflow that have not started.', ...counted },
  FlowBudgetState: {
    _: 'The spend of one workflow in its window.',
    ...counted,
    maxCost: 'US dollars per window. Null if cost is not limited.',
    maxTokens: 'Tokens per window. Null if tokens are not limited.',
    windowMs: 'The trailing window, in milliseconds.',
  },
  FlowDebounceState: { _: 'Debounced starts of one workflow.', ...counted },
  FlowScopeState: { ...counted, limit: 'Runs that may execute at once in this scope.' },
  FlowThrottleState: {
    _: 'A scope of `throttle` with delayed starts.',
    ...counted,
    nextStartAt: 'When the next delayed start begins.',
  },
  FlowTokenThrottleState: { _: 'The bucket of one scope of `tokenThrottle`.', ...counted },
};
