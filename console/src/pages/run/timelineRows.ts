import { type Lane, lanesOf, type Step } from './lanes.ts';

/** The steps of an unfolded child, as far as they are read. */
export interface ChildSteps {
  steps: readonly Step[] | undefined;
  /** The child has more steps than were read. */
  hasMore: boolean;
  trouble: string | undefined;
}

interface Placed {
  key: string;
  /** How many runs it is below the run of the page. */
  depth: number;
  /** The child that it belongs to; absent for the run of the page. */
  runId: string | undefined;
}

/** A row of the timeline: a lane, or a note in place of those of a child. */
export type TimelineRow = Placed & ({ kind: 'lane'; lane: Lane } | { kind: 'note'; text: string });

/** Children of children unfold so deep at most. */
const maxDepth = 10;

/** The rows of some lanes, each followed by those of its child if that is unfolded. */
export function timelineRows(
  lanes: readonly Lane[],
  children: ReadonlyMap<string, ChildSteps>,
  nowMs: number,
): TimelineRow[] {
  return rowsBelow(lanes, { children, nowMs, depth: 0, runId: undefined });
}

interface Below {
  children: ReadonlyMap<string, ChildSteps>;
  nowMs: number;
  depth: number;
  runId: string | undefined;
}

function rowsBelow(lanes: readonly Lane[], { children, nowMs, depth, runId }: Below): TimelineRow[] {
  return lanes.flatMap((lane): TimelineRow[] => {
    const row: TimelineRow = { kind: 'lane', key: `${runId ?? ''} ${lane.key}`, depth, runId, lane };
    const child = lane.childRunId === undefined ? undefined : children.get(lane.childRunId);
    if (!child || lane.childRunId === undefined || depth >= maxDepth) return [row];
    const below = { children, nowMs, depth: depth + 1, runId: lane.childRunId };
    const note = noteOf(child);
    return [
      row,
      ...rowsBelow(lanesOf(child.steps ?? [], nowMs), below),
      ...(note ? [{ ...note, key: `note of ${lane.childRunId}`, depth: depth + 1, runId: lane.childRunId }] : []),
    ];
  });
}

function noteOf({ steps, hasMore, trouble }: ChildSteps): { kind: 'note'; text: string } | undefined {
  if (trouble) return { kind: 'note', text: trouble };
  if (!steps) return { kind: 'note', text: 'Loading…' };
  if (hasMore) return { kind: 'note', text: 'More steps in the child' };
  return steps.length === 0 ? { kind: 'note', text: 'The child has no step yet' } : undefined;
}
