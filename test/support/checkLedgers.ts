import { isTerminal, type RunStatus, runStatuses } from '../../src/engine/runs/status.ts';
import { successors } from '../../src/engine/runs/transitions.ts';
import type { AnswerEntry, BodyEntry, ClientEntry, FaultEntry, InvokeEntry, RunnerEntry } from './ledgers.ts';

/** The final data of the service. */
export interface Observed {
  events: { id: string; dedupeId?: string | undefined; triggered: { runId?: string | undefined }[] }[];
  runs: ObservedRun[];
}

export interface ObservedRun {
  id: string;
  workflow: string;
  status: string;
  eventId?: string | undefined;
  replayOf?: string | undefined;
  steps: { stepId: string; name: string; attempt: number; status: string; output?: string | undefined }[];
  frames: { seq: number; kind: string; status?: string | undefined }[];
}

export interface LedgersOf {
  client: readonly ClientEntry[];
  runner: readonly RunnerEntry[];
  faults: readonly FaultEntry[];
}

export interface LedgerReport {
  /** Each begins with the number of the violated invariant. */
  violations: string[];
  /** How much was checked, because a test that checked nothing proves nothing. */
  counts: { requests: number; acknowledged: number; runs: number; invokes: number; bodies: number; faults: number };
}

/** Compares the participants' ledgers with the service's data, and lists the contradictions. */
export function checkLedgers(ledgers: LedgersOf, observed: Observed): LedgerReport {
  const answers = ledgers.client.filter((entry) => entry.kind === 'answer');
  const invokes = ledgers.runner.filter((entry) => entry.kind === 'invoke');
  const bodies = ledgers.runner.filter((entry) => entry.kind === 'body');
  const violations = [
    ...checkStarts(ledgers.client, answers, observed),
    ...checkStartedOnce(observed),
    ...observed.runs.flatMap(checkEnd),
    ...observed.runs.flatMap(checkJournal),
    ...checkMemos(invokes, bodies, observed),
    ...checkBodies(invokes, bodies, ledgers.faults, observed),
  ];
  const keys = new Set(ledgers.client.map(({ key }) => key));
  const acknowledged = new Set(answers.filter(isAcknowledged).map(({ key }) => key));
  return {
    violations,
    counts: {
      requests: keys.size,
      acknowledged: acknowledged.size,
      runs: observed.runs.length,
      invokes: invokes.length,
      bodies: bodies.length,
      faults: ledgers.faults.length,
    },
  };
}

const isAcknowledged = ({ status }: AnswerEntry): boolean => status >= 200 && status < 300;

/**
 * I1: an acknowledged start exists once, however often it was requested. A start with an unknown
 * answer exists at most once.
 */
function checkStarts(client: readonly ClientEntry[], answers: readonly AnswerEntry[], observed: Observed): string[] {
  const runIds = new Set(observed.runs.map(({ id }) => id));
  const eventIds = new Set(observed.events.map(({ id }) => id));
  const lost = answers
    .filter(isAcknowledged)
    .flatMap(({ key, eventId, runIds: named }) => [
      ...(eventId !== undefined && !eventIds.has(eventId)
        ? [`I1 event ${eventId} (${key}) was acknowledged and is lost`]
        : []),
      ...named.filter((id) => !runIds.has(id)).map((id) => `I1 run ${id} (${key}) was acknowledged and is lost`),
    ]);
  const dangling = observed.events.flatMap(({ id, triggered }) =>
    triggered
      .filter(({ runId }) => runId !== undefined && !runIds.has(runId))
      .map(({ runId }) => `I1 event ${id} names run ${runId}, which does not exist`),
  );
  const outcomes = [...new Set(client.map(({ key }) => key))].flatMap((key) => checkKey(key, answers, observed));
  return [...lost, ...dangling, ...outcomes];
}

function checkKey(key: string, answers: readonly AnswerEntry[], observed: Observed): string[] {
  const acknowledged = answers.filter((answer) => answer.key === key && isAcknowledged(answer));
  const news = new Set(
    acknowledged.filter(({ deduped }) => !deduped).flatMap(({ eventId, runIds }) => eventId ?? runIds),
  );
  const recorded = observed.events.filter(({ dedupeId }) => dedupeId === key).length;
  const isEvent = acknowledged.some(({ eventId }) => eventId !== undefined) || recorded > 0;
  return [
    ...(news.size > 1 ? [`I1 ${key} was taken for new ${news.size} times`] : []),
    ...(recorded > 1 ? [`I1 ${key} is in the event log ${recorded} times`] : []),
    ...(isEvent && acknowledged.length > 0 && recorded === 0
      ? [`I1 ${key} was acknowledged and is not in the log`]
      : []),
  ];
}

/** I2 */
function checkStartedOnce({ runs }: Observed): string[] {
  const starts = runs.filter(({ eventId, replayOf }) => eventId !== undefined && replayOf === undefined);
  const repeated = repeats(starts.map(({ eventId, workflow }) => `event ${eventId} started ${workflow}`));
  return repeated.map(([start, times]) => `I2 ${start} ${times} times`);
}

/** I3: after the faults every run ends. */
const checkEnd = ({ id, status }: ObservedRun): string[] =>
  isTerminal(toStatus(status)) ? [] : [`I3 run ${id} never ended: it is ${status}`];

/**
 * I7 and I16: the journal counts 1..n, follows allowed transitions, and ends once, with the status
 * of the run.
 */
function checkJournal({ id, status, frames }: ObservedRun): string[] {
  const holes = frames.filter(({ seq }, position) => seq !== position + 1);
  const told = frames.flatMap((frame) => (frame.kind === 'run_status' ? [toStatus(String(frame.status))] : []));
  const wrong = told.filter((to, position) => {
    const from = told[position - 1];
    return from === undefined ? to !== 'queued' : !successors[from].includes(to);
  });
  const last = frames.at(-1);
  return [
    ...holes.slice(0, 1).map(({ seq }) => `I16 the journal of run ${id} has a hole before frame ${seq}`),
    ...wrong.map((to) => `I7 run ${id} became ${to} from a status that does not allow it: ${told.join(', ')}`),
    ...(told.filter(isTerminal).length > 1 ? [`I7 run ${id} ended more than once: ${told.join(', ')}`] : []),
    ...(last?.status === status
      ? []
      : [`I16 run ${id} is ${status}, its journal ends with ${last?.status ?? last?.kind}`]),
  ];
}

/**
 * I4: a memo stays unchanged in every later invoke of its run, and its step is not executed again.
 * Each step has one `succeeded` row, whose output is the memo.
 */
function checkMemos(invokes: readonly InvokeEntry[], bodies: readonly BodyEntry[], observed: Observed): string[] {
  const byRun = groupBy(invokes, ({ runId }) => runId);
  const unstable = [...byRun.values()].flatMap((received) => checkStability([...received].sort(byTime)));
  const carried = new Map(invokes.map(({ invokeId, memo }) => [invokeId, new Set(memo.map(({ stepId }) => stepId))]));
  const again = bodies
    .filter(({ invokeId, stepId }) => carried.get(invokeId)?.has(stepId))
    .map(({ runId, stepId }) => `I4 step ${stepId} of run ${runId} was entered by an invoke that carries its result`);
  const rows = observed.runs.flatMap((run) => [
    ...repeats(run.steps.filter(({ status }) => status === 'succeeded').map(({ name }) => name)).map(
      ([name, times]) => `I4 step ${name} of run ${run.id} succeeded ${times} times`,
    ),
    ...checkOutputs(run, byRun.get(run.id) ?? []),
  ]);
  return [...unstable, ...again, ...rows];
}

function checkStability(received: readonly InvokeEntry[]): string[] {
  const seen = new Map<string, string>();
  return received.flatMap(({ runId, memo }) => {
    const carried = new Map(memo.map(({ stepId, text }) => [stepId, text]));
    const broken = [...seen].filter(([stepId, text]) => carried.get(stepId) !== text);
    for (const [stepId, text] of carried) seen.set(stepId, text);
    return broken.map(([stepId]) =>
      carried.has(stepId)
        ? `I4 the memo of step ${stepId} of run ${runId} changed`
        : `I4 the memo of step ${stepId} of run ${runId} was forgotten`,
    );
  });
}

function checkOutputs({ id, steps }: ObservedRun, invokes: readonly InvokeEntry[]): string[] {
  const memos = new Map(invokes.flatMap(({ memo }) => memo.map(({ stepId, text }) => [stepId, text])));
  return steps.flatMap(({ stepId, name, status, output }) => {
    const memo = memos.get(stepId);
    if (status !== 'succeeded' || memo === undefined || memo === `{"data":${output ?? 'null'}}`) return [];
    return [`I4 step ${name} of run ${id} reads as ${output}, and was handed out as ${memo}`];
  });
}

/**
 * I5: a body executes once per attempt, and once more for each fault while a runner held its run.
 */
function checkBodies(
  invokes: readonly InvokeEntry[],
  bodies: readonly BodyEntry[],
  faults: readonly FaultEntry[],
  { runs }: Observed,
): string[] {
  const invokesOf = groupBy(invokes, ({ runId }) => runId);
  const bodiesOf = groupBy(bodies, ({ runId }) => runId);
  return runs.flatMap(({ id, steps }) => {
    const times = (invokesOf.get(id) ?? []).map(({ at }) => at);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const struck = faults.filter(({ at }) => at >= first && at <= last).length;
    const attempts = groupBy(steps, ({ stepId }) => stepId);
    const entered = groupBy(bodiesOf.get(id) ?? [], ({ stepId }) => stepId);
    return [...entered].flatMap(([stepId, entries]) => {
      const allowed = (attempts.get(stepId)?.length ?? 0) + struck;
      if (entries.length <= allowed) return [];
      return [`I5 step ${stepId} of run ${id} was entered ${entries.length} times, for at most ${allowed} reasons`];
    });
  });
}

function toStatus(text: string): RunStatus {
  const status = runStatuses.find((known) => known === text);
  if (!status) throw new Error(`${text} is no status of a run`);
  return status;
}

const byTime = (a: { at: number }, b: { at: number }): number => a.at - b.at;

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const repeats = (names: readonly string[]): [string, number][] =>
  [...groupBy(names, (name) => name)].flatMap(([name, same]) => (same.length > 1 ? [[name, same.length]] : []));
