import { type Attempt, type Lane, lanesOf, type Step } from './lanes.ts';

/** The steps of an unfolded child, as far as they are read. */
export interface ChildSteps {
  steps: readonly Step[] | undefined;
  /** The child has more steps than were read. */
  hasMore: boolean;
  trouble: string | undefined;
}

/** What is known about the attempts of an unfolded step beyond the steps of the run. */
export interface AttemptErrors {
  /** The error of each attempt in a line, by the number of the attempt. */
  errors: ReadonlyMap<number, string> | undefined;
  trouble: string | undefined;
}

/** What is unfolded beneath the steps. */
export interface Unfolded {
  /** By the id of the child. */
  children: ReadonlyMap<string, ChildSteps>;
  /** By `attemptsKey`. */
  attempts: ReadonlyMap<string, AttemptErrors>;
}

/** Names a step whose attempts are unfolded. Steps of the page's own run have no `runId`. */
export const attemptsKey = (runId: string | undefined, index: number): string => `${runId ?? ''} ${index}`;

interface Placed {
  key: string;
  /** How many runs it is below the run of the page. */
  depth: number;
  /** The child that it belongs to; absent for the run of the page. */
  runId: string | undefined;
}

/** A row of the timeline: a lane, one of its attempts, or a note in place of those of a child. */
export type TimelineRow = Placed &
  (
    | { kind: 'lane'; lane: Lane }
    | { kind: 'attempt'; lane: Lane; attempt: Attempt; error: string | undefined }
    | { kind: 'note'; text: string }
  );

/** Children of children unfold so deep at most. */
const maxDepth = 10;

/** The rows of some lanes, each followed by its attempts and those of its child, if unfolded. */
export function timelineRows(lanes: readonly Lane[], unfolded: Unfolded, nowMs: number): TimelineRow[] {
  return rowsBelow(lanes, { unfolded, nowMs, depth: 0, runId: undefined });
}

interface Below {
  unfolded: Unfolded;
  nowMs: number;
  depth: number;
  runId: string | undefined;
}

function rowsBelow(lanes: readonly Lane[], below: Below): TimelineRow[] {
  const { depth, runId } = below;
  const rows: TimelineRow[] = [];
  for (const lane of lanes) {
    rows.push({ kind: 'lane', key: `${runId ?? ''} ${lane.key}`, depth, runId, lane });
    if (lane.attempts.length > 1) rows.push(...attemptRows(lane, below));
    if (lane.childRunId !== undefined) rows.push(...childRows(lane.childRunId, below));
  }
  return rows;
}

function attemptRows(lane: Lane, { unfolded, depth, runId }: Below): TimelineRow[] {
  const known = unfolded.attempts.get(attemptsKey(runId, lane.index));
  if (!known) return [];
  return lane.attempts.map((attempt): TimelineRow => {
    const number = attempt.step.attempt;
    const error = known.errors?.get(number) ?? (hasFailed(attempt) ? (known.trouble ?? '…') : undefined);
    return {
      kind: 'attempt',
      key: `${runId ?? ''} ${lane.key}.${number}`,
      depth: depth + 1,
      runId,
      lane,
      attempt,
      error,
    };
  });
}

const hasFailed = ({ step }: Attempt): boolean => step.status === 'FAILED';

function childRows(childRunId: string, { unfolded, nowMs, depth }: Below): TimelineRow[] {
  const child = unfolded.children.get(childRunId);
  if (!child || depth >= maxDepth) return [];
  const note = noteOf(child);
  return [
    ...rowsBelow(lanesOf(child.steps ?? [], nowMs), { unfolded, nowMs, depth: depth + 1, runId: childRunId }),
    ...(note ? [{ ...note, key: `note of ${childRunId}`, depth: depth + 1, runId: childRunId }] : []),
  ];
}

function noteOf({ steps, hasMore, trouble }: ChildSteps): { kind: 'note'; text: string } | undefined {
  if (trouble) return { kind: 'note', text: trouble };
  if (!steps) return { kind: 'note', text: 'Loading…' };
  if (hasMore) return { kind: 'note', text: 'More steps in the child' };
  return steps.length === 0 ? { kind: 'note', text: 'The child has no step yet' } : undefined;
}
