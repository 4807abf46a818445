import { bool, float8, int, json, ordinal, ordinality, rowset, text, timestamptz, uuid } from '../../db/index.ts';
import { logPayload, stepPayload } from '../../timeline/index.ts';
import { hasConsequences, type LogRow, type PassCommit, type RunAfter, statusOf } from '../commit.ts';
import { type ParkedFor, parkedFor } from '../parkedFor.ts';
import { type Commits, type CommittedStep, fence, stepColumns, stepsOf } from './commitColumns.ts';

/** The row sets of `commitPasses`. */
export const commitRows = {
  passes: rowset({
    ord: ordinal,
    ...fence,
    wakes: int.of(({ pass }: PassCommit) => pass.wakes),
    next: text.of(({ next }: PassCommit) => next.kind),
    yields: bool.of(yields),
    status: text.orNull.of(statusOf),
    result: json.orNull.of(({ next }: PassCommit) => (next.kind === 'finish' ? next.result : null)),
    error: json.orNull.of(({ next }: PassCommit) => (next.kind === 'finish' ? next.error : null)),
    dueAt: timestamptz.orNull.of(({ due }: DueCommit) => due.at),
    dueInMs: float8.orNull.of(({ due }: DueCommit) => due.inMs),
    waitingFor: json.orNull.of(({ wait }: DueCommit) => wait?.text),
    waitAt: timestamptz.orNull.of(({ wait }: DueCommit) => instantOf(wait?.until)),
    waitInMs: float8.orNull.of(({ wait }: DueCommit) => delayOf(wait?.until)),
    attempt: int,
    unanswered: int,
    repeats: int,
    hasOpen: bool.of(hasOpen),
    newAttempt: bool.of(({ pass, attempt }: PassCommit) => attempt !== pass.attempt),
    hasOutcome: bool.of(hasConsequences),
  }).of(({ commits }: Commits) =>
    commits.map((commit) => ({ ...commit, due: dueOf(commit), wait: parkedFor(commit) })),
  ),
  steps: rowset({
    ord: int,
    ...stepColumns,
    runAt: timestamptz.orNull.of(({ step }: CommittedStep) => instantOf(step.runAfter)),
    runInMs: float8.orNull.of(({ step }: CommittedStep) => delayOf(step.runAfter)),
    willRetry: bool.of(({ step }: CommittedStep) => step.willRetry),
    retryWithdrawn: bool.of(({ step }: CommittedStep) => step.retryWithdrawn),
    eventName: text.orNull.of(({ step }: CommittedStep) => step.eventName),
    childRunId: uuid.orNull.of(({ step }: CommittedStep) => step.childRunId),
    position: ordinality,
  }).of(stepsOf),
  waits: rowset({
    ord: int,
    stepIndex: int,
    eventName: text,
    eventIf: text.orNull,
    matchPath: text,
    matchValue: text,
    since: timestamptz.orNull,
  }).of(({ commits }: Commits) => commits.flatMap(({ waits }, ord) => waits.map((wait) => ({ ...wait, ord })))),
  frames: rowset({
    ord: int,
    position: int,
    kind: text,
    payload: json,
    retryInMs: float8.orNull,
    logScope: text.orNull.of(({ log }: Frame) => log?.scope),
    logAttempt: int.orNull.of(({ log }: Frame) => log?.attempt),
    logIndex: int.orNull.of(({ log }: Frame) => log?.index),
  }).of(({ commits }: Commits) => commits.flatMap(framesOf)),
};

export const instantOf = (after: RunAfter | undefined): Date | undefined =>
  after && 'at' in after ? after.at : undefined;
export const delayOf = (after: RunAfter | undefined): number | undefined =>
  after && 'inMs' in after ? after.inMs : undefined;

/** Whether the lease stays if something happened to the run since its memo was read. */
function yields({ next }: PassCommit): boolean {
  return next.kind === 'park' || (next.kind === 'retry' && next.yieldsToDecision);
}

function hasOpen({ pass, steps }: PassCommit): boolean {
  return (
    pass.memo.hasOpen || pass.started.size > 0 || steps.some((step) => step.status === 'waiting' || step.willRetry)
  );
}

/**
 * The earliest moment that the commit itself knows, in the two parts that the statement adds up.
 */
interface Due {
  at: Date | null;
  inMs: number | null;
}

interface DueCommit extends PassCommit {
  due: Due;
  wait: ParkedFor | undefined;
}

function dueOf({ pass, next, steps }: PassCommit): Due {
  if (next.kind !== 'park' && next.kind !== 'retry') return { at: null, inMs: null };
  // A failed or fruitless pass has no steps.
  const delays = next.kind === 'retry' ? [next.inMs] : steps.flatMap((step) => delayOf(step.runAfter) ?? []);
  const instants = steps.flatMap((step) => instantOf(step.runAfter)?.getTime() ?? []);
  const known = pass.memo.dueAt(pass.dbNow, steps)?.getTime();
  if (known !== undefined) instants.push(known);
  return {
    at: instants.length === 0 ? null : new Date(Math.min(...instants)),
    inMs: delays.length === 0 ? null : Math.min(...delays),
  };
}

interface Frame {
  ord: number;
  position: number;
  kind: 'log' | 'step_status';
  payload: string;
  retryInMs?: number | undefined;
  log?: LogRow;
}

/** The frames of a commit: its logs, then its steps. */
function framesOf({ logs, steps }: PassCommit, ord: number): Frame[] {
  return [
    ...logs.map((log, at): Frame => ({ ord, position: at, kind: 'log', payload: logPayload(log), log })),
    ...steps.map(
      (step, at): Frame => ({
        ord,
        position: logs.length + at,
        kind: 'step_status',
        payload: stepPayload(step),
        retryInMs: step.willRetry ? delayOf(step.runAfter) : undefined,
      }),
    ),
  ];
}
