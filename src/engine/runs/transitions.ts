import { openStatuses, type RunStatus } from './status.ts';

/** One way in which the status of a run changes. */
export interface Transition {
  name: string;
  /** None: the run begins. */
  from: readonly RunStatus[];
  to: RunStatus;
  trigger: string;
  /** When the trigger leads here. */
  condition: string;
  /** The SQL statements that write it, each the first of its kind to lock the run. */
  by: readonly string[];
}

/**
 * Every change of a run's status (3.1), in the order of a run's life. The doctor holds all journals against it (I7), the
 * diagram in docs/reference/run-states.md is drawn from it, and tests show each line of it and find no other statement that
 * writes a status.
 */
export const runTransitions = [
  {
    name: 'started',
    from: [],
    to: 'queued',
    trigger: 'an event, a schedule, a call, a parent run, a replay, or the failure that it handles',
    condition: 'no gate of its workflow withholds the start',
    by: ['ingestIntakes', 'ingestStarts', 'forkRuns'],
  },
  {
    name: 'claimed',
    from: ['queued'],
    to: 'running',
    trigger: 'a runner has room',
    condition: 'it is the first in line, and flow control lets it pass',
    by: ['claimWork', 'leaseWork', 'ingestStarts'],
  },
  {
    name: 'setAside',
    from: ['running'],
    to: 'queued',
    trigger: 'a runner has room',
    condition: 'whoever executed it handed it back, and others have taken its slot meanwhile',
    by: ['gateRuns'],
  },
  {
    name: 'deserted',
    from: ['queued', 'running'],
    to: 'waiting',
    trigger: 'a look at what can be executed',
    condition: 'nobody executes it, and no live runner could',
    by: ['strandRuns'],
  },
  {
    name: 'parked',
    from: ['running'],
    to: 'waiting',
    trigger: 'a pass is over',
    condition: 'all that is open waits for its time, an event, a child run or another attempt',
    by: ['commitPasses'],
  },
  {
    name: 'asked',
    from: ['running'],
    to: 'needs_attention',
    trigger: 'a pass is over',
    condition: 'an approval is among what is open',
    by: ['commitPasses'],
  },
  {
    name: 'returned',
    from: ['running'],
    to: 'succeeded',
    trigger: 'a pass is over',
    condition: 'the handler returned',
    by: ['commitPasses', 'commitPlain', 'commitEnd'],
  },
  {
    name: 'failed',
    from: ['running'],
    to: 'failed',
    trigger: 'a pass is over',
    condition:
      'the handler threw for the last time, the runner refused, nobody answered ten times, or a limit was reached',
    by: ['commitPasses', 'commitPlain', 'commitEnd'],
  },
  {
    name: 'stopped',
    from: ['running'],
    to: 'paused',
    trigger: 'a pass is over, or whoever executed it is gone',
    condition: 'a pause was asked for meanwhile, and the pass did not end the run',
    by: ['commitPasses', 'pauseRuns', 'beatDispatcher', 'releaseLeases', 'removeDispatcher'],
  },
  {
    name: 'paused',
    from: ['queued', 'waiting', 'needs_attention'],
    to: 'paused',
    trigger: 'a pause, or a budget that is spent',
    condition: 'nobody executes it',
    by: ['pauseRuns'],
  },
  {
    name: 'woken',
    from: ['waiting', 'needs_attention'],
    to: 'queued',
    trigger: 'a time comes, an event arrives, a child run ends, an approval is decided or its deadline passes',
    condition: 'something that is open was waiting for it',
    by: ['wakeDue', 'wakeIfDue', 'settleWaits', 'settleSteps'],
  },
  {
    name: 'served',
    from: ['waiting'],
    to: 'queued',
    trigger: 'a runner appears',
    condition: 'it was waiting for one',
    by: ['reviveRuns'],
  },
  {
    name: 'unserved',
    from: ['waiting'],
    to: 'failed',
    trigger: 'the wait for a runner is over',
    condition: 'none has appeared',
    by: ['finishRuns'],
  },
  {
    name: 'resumed',
    from: ['paused'],
    to: 'queued',
    trigger: 'a resumption',
    condition: 'it was ready, or something that it waits for came during the pause',
    by: ['resumeRuns'],
  },
  {
    name: 'resumedToWait',
    from: ['paused'],
    to: 'waiting',
    trigger: 'a resumption',
    condition: 'nothing of what it waits for has come',
    by: ['resumeRuns'],
  },
  {
    name: 'resumedToAsk',
    from: ['paused'],
    to: 'needs_attention',
    trigger: 'a resumption',
    condition: 'an approval is still open, and nothing else has come',
    by: ['resumeRuns'],
  },
  {
    name: 'cancelled',
    from: openStatuses,
    to: 'cancelled',
    trigger: 'a cancellation, the end of its parent run, or a newer run of its singleton',
    condition: 'it is not over',
    by: ['finishRuns'],
  },
] as const satisfies readonly Transition[];

export type RunTransition = (typeof runTransitions)[number];

/** Where a run may go from each status. */
export const successors: Readonly<Record<RunStatus, readonly RunStatus[]>> = (() => {
  const all: readonly Transition[] = runTransitions;
  const after = (status: RunStatus) => [...new Set(all.flatMap(({ from, to }) => (from.includes(status) ? [to] : [])))];
  return {
    queued: after('queued'),
    running: after('running'),
    waiting: after('waiting'),
    paused: after('paused'),
    needs_attention: after('needs_attention'),
    succeeded: after('succeeded'),
    failed: after('failed'),
    cancelled: after('cancelled'),
  };
})();
