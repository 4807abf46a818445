import { openStatuses, type RunStatus } from './status.ts';

/** A change of a run's status. */
export interface Transition {
  name: string;
  /** Empty at the beginning of a run. */
  from: readonly RunStatus[];
  to: RunStatus;
  trigger: string;
  /** The condition under which the trigger causes this change. */
  condition: string;
  /** The SQL statements that write the change. */
  by: readonly string[];
}

/**
 * Every change of a run's status (3.1), in the order of a run's life. The doctor checks all
 * journals against this table (I7). `docs/reference/run-states.md` is generated from it. Tests show
 * each change, and find no other statement that writes a status.
 */
export const runTransitions = [
  {
    name: 'started',
    from: [],
    to: 'queued',
    trigger: 'an event, a schedule, a call, a parent run, a replay, or the failure of another run (`onFailure`)',
    condition: 'no gate of the workflow withholds the start',
    by: ['ingestIntakes', 'ingestStarts', 'forkRuns'],
  },
  {
    name: 'claimed',
    from: ['queued'],
    to: 'running',
    trigger: 'a runner has a free slot',
    condition: 'the run is first in its queue, and flow control allows it',
    by: ['claimWork', 'leaseWork', 'leaseDue', 'ingestStarts', 'takeAnswer'],
  },
  {
    name: 'gated',
    from: ['running'],
    to: 'queued',
    trigger: 'a runner has a free slot',
    condition: 'its dispatcher released the run, and other runs took its `concurrency` slot meanwhile',
    by: ['gateRuns'],
  },
  {
    name: 'stranded',
    from: ['queued', 'running'],
    to: 'waiting',
    trigger: 'the regular check for runs without a runner',
    condition: 'no runner executes the run, and no live runner serves its workflow',
    by: ['strandRuns'],
  },
  {
    name: 'parked',
    from: ['running'],
    to: 'waiting',
    trigger: 'a pass ends',
    condition: 'every open step waits for a time, an event, a child run, a model or its next attempt',
    by: ['commitPasses', 'commitParked'],
  },
  {
    name: 'parkedForApproval',
    from: ['running'],
    to: 'needs_attention',
    trigger: 'a pass ends',
    condition: 'an approval is open',
    by: ['commitPasses'],
  },
  {
    name: 'succeeded',
    from: ['running'],
    to: 'succeeded',
    trigger: 'a pass ends',
    condition: 'the handler returned',
    by: ['commitPasses', 'commitPlain', 'commitEnd'],
  },
  {
    name: 'failed',
    from: ['running'],
    to: 'failed',
    trigger: 'a pass ends',
    condition:
      'the handler threw in its last attempt, the runner refused, ten passes got no answer, or a limit was reached',
    by: ['commitPasses', 'commitPlain', 'commitEnd'],
  },
  {
    name: 'pausedAfterPass',
    from: ['running'],
    to: 'paused',
    trigger: 'a pass ends, or its dispatcher or runner is gone',
    condition: 'a pause was requested during the pass, and the pass did not end the run',
    by: ['commitPasses', 'pauseRuns', 'beatDispatcher', 'releaseLeases', 'removeDispatcher'],
  },
  {
    name: 'paused',
    from: ['queued', 'waiting', 'needs_attention'],
    to: 'paused',
    trigger: 'a pause, or a spent budget',
    condition: 'no runner executes the run',
    by: ['pauseRuns'],
  },
  {
    name: 'woken',
    from: ['waiting', 'needs_attention'],
    to: 'queued',
    trigger: 'a time is reached, an event arrives, a child run ends, an approval is decided or times out',
    condition: 'an open step was waiting for it',
    by: ['wakeDue', 'wakeIfDue', 'leaseDue', 'settleWaits', 'settleSteps', 'takeAnswer'],
  },
  {
    name: 'revived',
    from: ['waiting'],
    to: 'queued',
    trigger: 'a runner that serves its workflow appears',
    condition: 'the run was waiting for a runner',
    by: ['reviveRuns'],
  },
  {
    name: 'timedOut',
    from: ['waiting'],
    to: 'failed',
    trigger: 'the wait for a runner times out',
    condition: 'no runner has appeared',
    by: ['finishRuns'],
  },
  {
    name: 'resumed',
    from: ['paused'],
    to: 'queued',
    trigger: 'a resumption',
    condition: 'the run was ready, or an event, time or decision arrived for it during the pause',
    by: ['resumeRuns'],
  },
  {
    name: 'resumedParked',
    from: ['paused'],
    to: 'waiting',
    trigger: 'a resumption',
    condition: 'every open step still waits',
    by: ['resumeRuns'],
  },
  {
    name: 'resumedForApproval',
    from: ['paused'],
    to: 'needs_attention',
    trigger: 'a resumption',
    condition: 'an approval is open, and every open step still waits',
    by: ['resumeRuns'],
  },
  {
    name: 'cancelled',
    from: openStatuses,
    to: 'cancelled',
    trigger: 'a cancellation, the end of the parent run, a newer run of its `singleton`, or the end of its `ttl`',
    condition: 'the run has not ended',
    by: ['finishRuns'],
  },
] as const satisfies readonly Transition[];

export type RunTransition = (typeof runTransitions)[number];

/** The statuses that may follow each status. */
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
