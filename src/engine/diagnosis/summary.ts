import type { FailureKind, RunCancellation, RunDiagnosis, RunFailure, RunVerdict } from './diagnosis.ts';
import type { RunnerLack, RunWait } from './runWait.ts';

/*
 * The sentences of a diagnosis. They hold numbers and words of the service, and nothing that an
 * event, a runner, a model or a person supplied: agents read them as ours.
 */

type Summed = Pick<RunDiagnosis, 'verdict' | 'causes' | 'failure' | 'cancellation'> & { isSuspended: boolean };

export function summaryOf({ verdict, causes, failure, cancellation, isSuspended }: Summed): string {
  const sentences = [verdicts[verdict]];
  if (failure) sentences.push(...failureSentences(failure));
  if (cancellation) sentences.push(cancellers[cancellation.by]);
  const [first, ...others] = causes;
  if (first) sentences.push(causeSentence(first));
  if (others.length > 0) sentences.push(`Causes besides: ${others.length}.`);
  if (isSuspended) sentences.push('The project is suspended, so no run can be started again.');
  return sentences.join(' ');
}

const verdicts: Readonly<Record<RunVerdict, string>> = {
  succeeded: 'The run has succeeded.',
  failed: 'The run has failed.',
  cancelled: 'The run was cancelled.',
  running: 'A runner executes the run.',
  waiting: 'The run waits, and goes on by itself.',
  queued: 'The run waits for its turn.',
  retrying: 'The run had a failure, and tries again by itself.',
  needs_decision: 'A person must decide before the run goes on.',
  paused: 'The run is paused.',
  stuck: 'The run does not go on unless somebody acts.',
};

const failures: Readonly<Record<FailureKind, string>> = {
  step: 'A step failed for good, and no attempt of it was left or allowed.',
  step_retries_spent: 'A step failed in all of its attempts.',
  handler: 'The handler failed outside of its steps.',
  handler_retries_spent: 'The handler failed outside of its steps, in all attempts.',
  child_failed: 'A child run failed.',
  child_cancelled: 'A child run was cancelled.',
  approval_denied: 'The handler failed after an approval was denied.',
  approval_timeout: 'An approval was not decided in time.',
  no_runner: 'No live runner served the workflow within the time limit.',
  transport: 'Runners took the run, but did not answer.',
  cap: 'The run reached its cap of model usage.',
  inference: 'A model call failed.',
  flow_control: 'Flow control started no child run.',
  unsupported_opcode: 'The runner used an opcode that this service does not know.',
  non_determinism: 'The handler did not reach its saved steps again.',
  max_duration: 'The run exceeded its maximum duration.',
  service_limit: 'The run, or an answer of its runner, exceeded a limit of the service.',
  rejected: 'The runner refused the request.',
};

function failureSentences({ kind, step, alike }: RunFailure): string[] {
  const sentences = [failures[kind]];
  if (step && step.attempts > 1) sentences.push(`It had ${step.attempts} attempts.`);
  if (alike.count > 0) {
    const count = `${alike.isMore ? 'at least ' : ''}${counted(alike.count, 'other run')}`;
    sentences.push(`In the last 24 h, ${count} of the workflow failed alike.`);
  }
  return sentences;
}

const cancellers: Readonly<Record<RunCancellation['by'], string>> = {
  caller: 'A call cancelled this run.',
  bulk: 'A bulk call cancelled runs at that time.',
  event: 'An event cancelled it, by a rule of its workflow.',
  parent: 'Its parent had ended.',
  singleton: 'A newer run took its singleton.',
  ttl: 'It did not begin within its time to live.',
  unknown: 'The audit log does not say who did.',
};

const lacks: Readonly<Record<RunnerLack, string>> = {
  none: 'No runner has registered the workflow.',
  gone: 'No runner that registered the workflow is live.',
  full: 'All live runners of the workflow are full.',
  free: 'A runner has room, and a dispatcher takes the run next.',
};

/** What a cause means, in a sentence. */
export function causeSentence(cause: RunWait): string {
  switch (cause.kind) {
    case 'paused':
      return cause.reason === 'budget' ? 'The budget of the workflow is spent.' : 'A person paused it.';
    case 'dispatcher':
      return cause.alive === 0 ? 'No dispatcher is alive.' : 'The dispatcher that executed it is silent.';
    case 'runner':
      return lacks[cause.lack];
    case 'transport':
      return `The runner did not answer: ${cause.failures} of ${cause.maxFailures} failures before the run fails.`;
    case 'approval':
      return cause.isEscalated ? 'An approval is open, and has escalated.' : 'An approval is open.';
    case 'start':
      return cause.policy ? 'A rate of its workflow delays its start.' : 'Its start is due later.';
    case 'concurrency':
      return `Taken slots of its scope: ${cause.inUse} of ${cause.limit}. ${aheadSentence(cause.ahead)}`;
    case 'ceiling':
      return `Runs that the project executes: ${cause.inUse} of at most ${cause.limit}. ${aheadSentence(cause.ahead)}`;
    case 'retry':
      return `Attempt ${cause.nextAttempt} of the ${cause.step ? 'step' : 'handler'} comes next.`;
    case 'inference':
      if (cause.isInFlight) return 'A model call is under way.';
      if (cause.isCapped) return 'A model call waits for other calls of the run, which may reach its cap.';
      return cause.lane.heldUntil === null ? 'A model call waits for its turn.' : 'The provider holds its model calls.';
    case 'child':
      return childSentence(cause);
    case 'event':
      return cause.refused.length > 0
        ? 'It waits for an event. Events of that name came, and its guard refused them.'
        : 'It waits for an event.';
    case 'sleep':
      return 'It sleeps.';
  }
}

function childSentence({ path, because }: Extract<RunWait, { kind: 'child' }>): string {
  const whose = path.length === 1 ? 'Its child run must end' : `A run ${path.length} levels below must end`;
  return because ? `${whose}. Of that run: ${causeSentence(because)}` : `${whose}, and executes.`;
}

const aheadSentence = ({ count, isMore }: { count: number; isMore: boolean }): string =>
  `Runs ahead: ${isMore ? 'more than ' : ''}${count}.`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
