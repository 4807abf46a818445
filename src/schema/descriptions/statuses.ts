import type { Texts, TypeTexts } from './texts.ts';

const live: TypeTexts = {
  QUEUED: 'Ready, and waits for a runner, a slot or its start time.',
  RUNNING: 'A runner executes a pass of it.',
  WAITING: 'Parked on a sleep, an event, a child, a decision, a model or a retry.',
  PAUSED: 'Does not go on until it is resumed, by hand or by its budget.',
  NEEDS_ATTENTION: 'Parked on an approval, so a person must decide.',
};

const ended: TypeTexts = {
  SUCCEEDED: 'Ended with a result.',
  FAILED: 'Ended with an error, after all retries.',
  CANCELLED: 'Ended by a call, an event, a parent or a `singleton`.',
};

/** Statuses of runs and steps, and sums by status. */
export const statusTexts: Texts = {
  RunStatus: { _: 'The status of a run. `SUCCEEDED`, `FAILED` and `CANCELLED` are final.', ...live, ...ended },
  RunStatusFilter: {
    ACTIVE: 'The three statuses `QUEUED`, `RUNNING` and `WAITING`.',
    ALL: 'Every status, as without the filter.',
    ...live,
    ...ended,
  },
  StepKind: {
    APPROVAL: '`step.approval`: a person decides.',
    EMIT: '`step.emit`: sends an event.',
    INFER: '`step.ai.generate` and its like: the service calls a model.',
    RUN: '`step.run`, and AI steps that the runner executes.',
    RUN_WORKFLOW: '`step.runWorkflow`: waits for a child run.',
    SCORE: '`step.score`: records a score.',
    SLEEP: '`step.sleep` and `step.sleepUntil`.',
    UNKNOWN: 'An opcode that the service does not know. The step has failed.',
    WAIT_FOR_EVENT: '`step.waitForEvent`, until an event comes or its time is over.',
    WEBHOOK: '`ctx.webhook.send`: enqueues a delivery.',
  },
  RunGrouping: {
    APP: 'One group for each app.',
    VERSION: 'One group for each version of each workflow.',
    WORKFLOW: 'One group for each workflow.',
  },
  SimulatedOutcome: {
    BATCHED: 'Its run has the starts of a batch.',
    DEBOUNCED: 'A later start of its `debounce` took its place.',
    DEDUPED: 'A repeat by its `idempotency` key.',
    DISPLACED: 'A newer run of its `singleton` displaced its run.',
    DROPPED: 'Too many starts for `rateLimit`.',
    SKIPPED: 'A run of its `singleton` was unfinished.',
    STARTED: 'Its run executes.',
  },
  SuggestionKind: {
    APP: 'Apps of registered workflows.',
    EVENT: 'Names of events that came, or that workflows listen for.',
    SESSION: 'Sessions of runs.',
    TAG_KEY: 'Keys of the tags of runs.',
    TAG_VALUE: 'Values that the tags of runs have under one key.',
    VERSION: 'Versions of definitions that runs have.',
    WORKFLOW: 'Names of registered workflows.',
  },
  TimeseriesInstant: {
    ENDED: 'The end of the run. Unfinished runs are left out.',
    STARTED: 'The creation of the run.',
  },
  RunStatusCounts: {
    _: 'Numbers of runs by status. A status without runs counts 0.',
    queued: 'Runs that wait for a runner, a slot or their start time.',
    running: 'Runs with a pass in progress.',
    waiting: 'Runs that are parked on a sleep, an event, a child, a model or a retry.',
    paused: 'Runs that a person or a budget paused.',
    needsAttention: 'Runs that are parked on an open approval.',
    succeeded: 'Runs that ended with a result.',
    failed: 'Runs that ended with an error.',
    cancelled: 'Runs that were cancelled.',
  },
  StepStatus: {
    _: 'The status of one attempt of a step.',
    RUNNING: 'A runner executes it.',
    WAITING: 'Parked on a sleep, an event, a child, a decision or a model.',
    SUCCEEDED: 'Ended with an output, which later passes reuse.',
    FAILED: 'Ended with an error. `willRetry` tells whether another attempt follows.',
    SKIPPED: 'The handler skipped it, with a reason as output.',
    CANCELLED: 'Its run ended before it did.',
  },
  FrameStatus: {
    ...live,
    ...ended,
    RUNNING: 'A runner executes the run, or the step.',
    WAITING: 'The run or the step is parked on something that must happen.',
    FAILED: 'The run failed for good, or one attempt of the step failed.',
    SKIPPED: 'Steps only: the handler skipped it.',
  },
  RunFigures: {
    total: 'Runs of every status together.',
    byStatus: 'The same number, divided by status.',
  },
  RunStats: { _: 'Counts and durations of all runs that a filter selects.' },
  RunBucket: { _: 'Counts and durations of the runs created in one span of time.' },
};
