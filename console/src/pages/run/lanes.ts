import { isFinal } from '../../design/index.ts';

/** An attempt of a step, as the timeline needs it. */
export interface Step {
  index: number;
  attempt: number;
  name: string;
  kind: string;
  status: string;
  startedAt: string;
  endedAt?: string | null;
  durationMs?: number | null;
  willRetry?: boolean | null;
  nextAttemptAt?: string | null;
  childRunId?: string | null;
}

/** A bar of a lane. A `gap` is the time between two attempts. */
export interface Bar {
  kind: 'queued' | 'work' | 'wait' | 'gap';
  status: string;
  fromMs: number;
  toMs: number;
  attempt: number;
}

/** An attempt with its bars: its work, then the gap until the next attempt. */
export interface Attempt {
  step: Step;
  bars: Bar[];
}

/** A row of the timeline: a step with all its attempts, or a group of repeats. */
export interface Lane {
  key: string;
  name: string;
  kind: string;
  status: string;
  index: number;
  /** The highest attempt. */
  attempt: number;
  fromMs: number;
  toMs: number;
  bars: Bar[];
  /** The attempts, the first one first; none for a group of repeats. */
  attempts: Attempt[];
  /** The run that the step waits for, if it runs a workflow. */
  childRunId: string | undefined;
  /** The lanes that this one stands for, if it is a group of repeats. */
  repeats: Lane[];
}

/** Steps whose time is a wait, not work of a runner. */
const waitingKinds = new Set(['SLEEP', 'WAIT_FOR_EVENT', 'RUN_WORKFLOW', 'APPROVAL', 'INFER']);

/** Repeats of one name fold into one row from so many on. */
const foldFrom = 10;

/** The lanes of a run's steps, in the order of execution. Bars that go on end at `nowMs`. */
export function lanesOf(steps: readonly Step[], nowMs: number): Lane[] {
  const byIndex = new Map<number, Step[]>();
  for (const step of steps) {
    const attempts = byIndex.get(step.index);
    if (attempts) attempts.push(step);
    else byIndex.set(step.index, [step]);
  }
  return [...byIndex.values()]
    .map((attempts) =>
      laneOf(
        attempts.sort((a, b) => a.attempt - b.attempt),
        nowMs,
      ),
    )
    .sort((a, b) => a.index - b.index);
}

function laneOf(steps: Step[], nowMs: number): Lane {
  const last = steps[steps.length - 1] as Step;
  const attempts = steps.map((step, at): Attempt => {
    const bar = barOf(step, nowMs);
    const gap = gapAfter(step, bar, steps[at + 1], nowMs);
    return { step, bars: gap ? [bar, gap] : [bar] };
  });
  const bars = attempts.flatMap((attempt) => attempt.bars);
  return {
    key: String(last.index),
    name: last.name,
    kind: last.kind,
    status: last.status,
    index: last.index,
    attempt: last.attempt,
    fromMs: Math.min(...bars.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...bars.map(({ toMs }) => toMs)),
    bars,
    attempts,
    childRunId: last.childRunId ?? undefined,
    repeats: [],
  };
}

function barOf(step: Step, nowMs: number): Bar {
  const fromMs = Date.parse(step.startedAt);
  const endMs = step.endedAt
    ? Date.parse(step.endedAt)
    : isFinal(step.status)
      ? fromMs + (step.durationMs ?? 0)
      : nowMs;
  const isWait = waitingKinds.has(step.kind) || step.status === 'WAITING';
  return {
    kind: isWait ? 'wait' : 'work',
    status: step.status,
    fromMs,
    toMs: Math.max(fromMs, endMs),
    attempt: step.attempt,
  };
}

function gapAfter(step: Step, bar: Bar, next: Step | undefined, nowMs: number): Bar | undefined {
  const toMs = next ? Date.parse(next.startedAt) : step.willRetry ? nowMs : undefined;
  if (toMs === undefined || toMs <= bar.toMs) return undefined;
  return { kind: 'gap', status: 'WAITING', fromMs: bar.toMs, toMs, attempt: step.attempt };
}

/** The name without the suffix of a repeat: `fetch:3` is a repeat of `fetch`. */
export const baseName = (name: string): string => name.replace(/:\d+$/, '');

/** The lanes with repeats of a name folded into one row, except for the names that are open. */
export function foldRepeats(lanes: readonly Lane[], open: ReadonlySet<string>): Lane[] {
  const counts = new Map<string, number>();
  for (const { name } of lanes) counts.set(baseName(name), (counts.get(baseName(name)) ?? 0) + 1);
  const folded = new Map<string, Lane>();
  return lanes.flatMap((lane) => {
    const base = baseName(lane.name);
    if ((counts.get(base) ?? 0) < foldFrom) return [lane];
    const group = folded.get(base);
    if (group) {
      addTo(group, lane);
      return open.has(base) ? [lane] : [];
    }
    const own = { key: `repeats of ${base}`, name: base, childRunId: undefined };
    const made: Lane = { ...lane, ...own, bars: [], attempts: [], repeats: [] };
    addTo(made, lane);
    folded.set(base, made);
    return open.has(base) ? [made, lane] : [made];
  });
}

/** A group shows the bars of all its lanes, and the worst of their statuses. */
function addTo(group: Lane, lane: Lane): void {
  group.repeats.push(lane);
  group.bars.push(...lane.bars);
  group.fromMs = Math.min(group.fromMs, lane.fromMs);
  group.toMs = Math.max(group.toMs, lane.toMs);
  if (weight(lane.status) > weight(group.status)) group.status = lane.status;
}

const weight = (status: string): number =>
  ['SUCCEEDED', 'SKIPPED', 'CANCELLED', 'WAITING', 'RUNNING', 'FAILED'].indexOf(status);

export interface LaneFilter {
  only?: 'failed' | 'unfinished' | undefined;
  find?: string | undefined;
  kind?: string | undefined;
  /** Only steps that took at least so many attempts. */
  attempts?: number | undefined;
}

/** The lanes that a filter shows. */
export function filterLanes(lanes: readonly Lane[], { only, find, kind, attempts = 1 }: LaneFilter): Lane[] {
  const wanted = find?.toLowerCase();
  return lanes.filter(
    (lane) =>
      (only !== 'failed' || lane.status === 'FAILED' || lane.bars.some(({ status }) => status === 'FAILED')) &&
      (only !== 'unfinished' || !isFinal(lane.status)) &&
      (!wanted || lane.name.toLowerCase().includes(wanted)) &&
      (!kind || lane.kind === kind) &&
      lane.attempt >= attempts,
  );
}

const attemptChoices = [2, 3, 5, 10, 20, 50, 100];

/** The numbers of attempts that steps can be filtered by, as far as a step took so many. */
export function attemptFilters(lanes: readonly Lane[], chosen: number | undefined): number[] {
  const most = lanes.reduce((max, { attempt }) => Math.max(max, attempt), 1);
  const choices = new Set(attemptChoices.filter((count) => count <= most));
  if (chosen !== undefined) choices.add(chosen);
  return [...choices].sort((a, b) => a - b);
}
