import type { RunRow } from '../runs/index.ts';
import type { NextAction, NextCall, RunDiagnosis } from './diagnosis.ts';
import type { RunWait } from './runWait.ts';

type Known = Pick<RunDiagnosis, 'causes' | 'failure' | 'cancellation'> & {
  run: RunRow;
  /** A suspended project starts no run again. */
  isSuspended: boolean;
};

/** Causes for which calls are named. */
const maxCauses = 3;
const maxCalls = 8;
const dayMs = 86_400_000;

/** Calls that could follow from a diagnosis, the most useful first. */
export function nextCalls(known: Known): NextCall[] {
  const { run, causes, failure, cancellation, isSuspended } = known;
  const calls = [
    ...(failure ? afterFailure(known) : []),
    ...(cancellation ? afterCancellation(known) : []),
    ...causes.slice(0, maxCauses).flatMap((cause) => against(cause, run)),
    ...(run.status === 'running' && causes.length === 0
      ? [call('wait_for_run', { id: run.id }, 'Answers when the run has ended, or needs a decision.')]
      : []),
    ...(run.status === 'succeeded' ? [call('get_run', { id: run.id }, 'Reads the result.')] : []),
  ];
  return distinct(calls.filter(({ action }) => !(isSuspended && starting.has(action)))).slice(0, maxCalls);
}

const starting: ReadonlySet<NextAction> = new Set(['replay_run', 'retry_run_from_step', 'bulk_replay_runs']);

const call = (action: NextAction, given: Record<string, unknown>, why: string): NextCall => ({
  action,
  arguments: given,
  why,
});

function distinct(calls: readonly NextCall[]): NextCall[] {
  const byName = new Map(calls.map((each) => [JSON.stringify([each.action, each.arguments]), each]));
  return [...byName.values()];
}

function afterFailure({ run, failure }: Known): NextCall[] {
  if (!failure) return [];
  const { kind, step, childRunId, approvalId, alike } = failure;
  const { id, app, workflow } = run;
  const calls: NextCall[] = [];
  if (childRunId !== undefined) calls.push(call('diagnose_run', { id: childRunId }, 'The reason is in the child run.'));
  if (kind === 'no_runner' || kind === 'transport' || kind === 'rejected')
    calls.push(call('list_runners', { app }, 'Shows which runners serve the workflow, and which are live.'));
  if (kind === 'inference' || kind === 'cap' || kind === 'flow_control')
    calls.push(call('get_flow_state', { workflow }, 'Shows limits, spends and the lanes of model calls.'));
  if (approvalId !== undefined) calls.push(call('get_approval', { id: approvalId }, 'Shows who decided, or did not.'));
  calls.push(call('list_run_logs', { id }, 'Reads all log lines.'));
  calls.push(
    step
      ? call('retry_run_from_step', { id, step: step.name }, 'Keeps the steps before, once the cause is removed.')
      : call('replay_run', { id }, 'Starts the run again, once the cause is removed.'),
  );
  if (alike.count > 0) calls.push(...ofOthers(run));
  return calls;
}

function ofOthers({ app, workflow, endedAt, createdAt }: RunRow): NextCall[] {
  const since = new Date((endedAt ?? createdAt).getTime() - dayMs).toISOString();
  const filter = { app, workflow, status: 'failed', since };
  return [
    call('list_runs', filter, 'Lists the other failed runs.'),
    call('bulk_replay_runs', filter, 'Starts all of them again, once the cause is removed.'),
  ];
}

function afterCancellation({ run, cancellation }: Known): NextCall[] {
  const { runId, eventId } = cancellation ?? {};
  return [
    ...(runId === undefined
      ? []
      : [call('diagnose_run', { id: runId }, 'Tells of the run because of which it ended.')]),
    ...(eventId === undefined ? [] : [call('get_event', { id: eventId }, 'Shows the event that cancelled it.')]),
    call('replay_run', { id: run.id }, 'Starts the run again.'),
  ];
}

/** Calls that end a cause, or tell more of it. */
function against(cause: RunWait, { id, app, workflow }: RunRow): NextCall[] {
  const wait = call('wait_for_run', { id }, 'Answers when the run has ended, or needs a decision.');
  const flow = call('get_flow_state', { workflow }, 'Shows limits, who waits, and spends.');
  switch (cause.kind) {
    case 'paused':
      return cause.reason === 'manual' ? [call('resume_run', { id }, 'Ends the pause.')] : [flow];
    case 'dispatcher':
      return [];
    case 'runner': {
      const runners = call('list_runners', { app: cause.app }, 'Shows which runners serve the workflow.');
      if (cause.lack === 'free') return [wait];
      if (cause.lack === 'full') return [runners];
      return [runners, call('cancel_run', { id }, 'Ends the run, if no runner is to come.')];
    }
    case 'transport':
      return [call('list_runners', { app }, 'Shows which runners are live.'), wait];
    case 'approval':
      return [
        call('get_approval', { id: cause.approvalId }, 'Shows what is to be decided.'),
        call('decide_approval', { id: cause.approvalId }, 'A person decides: `status` is approved or denied.'),
      ];
    case 'start':
      return [flow, wait];
    case 'concurrency':
      return [...holderOf(cause.holders), flow];
    case 'ceiling':
      return [...holderOf(cause.holders), call('list_runs', { status: 'running' }, 'Lists the runs that execute.')];
    case 'retry':
      return [call('list_run_logs', { id }, 'Reads the log lines of the failed attempt.'), wait];
    case 'inference':
      return [flow, wait];
    case 'child':
      return [call('diagnose_run', { id: cause.path.at(-1) ?? cause.childRunId }, 'The reason is in the child run.')];
    case 'event':
      return [
        ...cause.refused
          .slice(0, 1)
          .map((event) => call('get_event', { id: event.id }, 'The guard refused this event.')),
        call('list_events', { name: cause.eventName }, 'Shows whether such an event came, and whom it woke.'),
        call('send_event', { name: cause.eventName }, 'Sends it. Its `data` must fit the guard.'),
      ];
    case 'sleep':
      return [wait];
  }
}

const holderOf = ([holder]: readonly string[]): NextCall[] =>
  holder === undefined ? [] : [call('diagnose_run', { id: holder }, 'Tells why a run that holds the limit goes on.')];
