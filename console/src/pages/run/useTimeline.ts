import { useMemo } from 'react';
import { attemptFilters, type Bar, filterLanes, type Lane, lanesOf, type Step } from './lanes.ts';
import type { RunSearch } from './runSearch.ts';
import { overlaps, type TimeAxis, type TimeRange, timeAxis } from './timeAxis.ts';
import type { RunHead } from './useRun.ts';
import { useTimeRange } from './useTimeRange.ts';

export interface TimelineView {
  /** All steps of the run, and those that the filters and the range leave. */
  all: readonly Lane[];
  found: readonly Lane[];
  bars: readonly Bar[];
  /** The axis of the whole run, and that of the range. */
  wholeAxis: TimeAxis;
  axis: TimeAxis;
  /** The time that is shown; undefined for the whole run. */
  range: TimeRange | undefined;
  isMoving: boolean;
  move: (range: TimeRange | undefined) => void;
  settle: () => void;
  kinds: readonly string[];
  attemptCounts: readonly number[];
}

interface TimelineInput {
  run: RunHead;
  steps: readonly Step[];
  search: RunSearch;
  onChange: (search: RunSearch) => void;
  /** When the run ended; now, while it goes on. */
  endMs: number;
}

/** What the timeline of a run shows, by its filters and its range of time. */
export function useTimeline({ run, steps, search, onChange, endMs }: TimelineInput): TimelineView {
  const all = useMemo(() => lanesOf(steps, endMs), [steps, endMs]);
  const { only, find, kind, fold } = search;
  const least = search.attempts === undefined ? undefined : Number(search.attempts);
  const createdMs = Date.parse(run.createdAt);
  const bars = useMemo(() => all.flatMap((lane) => lane.bars), [all]);
  const wholeAxis = useMemo(() => {
    const toMs = bars.reduce((last, bar) => Math.max(last, bar.toMs), endMs);
    return timeAxis({ fromMs: createdMs, toMs }, bars, fold);
  }, [createdMs, endMs, bars, fold]);
  const ranged = useTimeRange(search.range, wholeAxis, (range) => onChange({ ...search, range }));
  const isPart = ranged.range !== undefined;
  const { fromMs, toMs } = ranged.range ?? wholeAxis;
  const axis = useMemo(
    () => (isPart ? timeAxis({ fromMs, toMs, isPart }, bars, fold) : wholeAxis),
    [isPart, fromMs, toMs, bars, fold, wholeAxis],
  );
  const found = useMemo(() => {
    const filtered = filterLanes(all, { only, find, kind, attempts: least });
    if (!isPart) return filtered;
    return filtered.filter((lane) => lane.bars.some((bar) => overlaps(bar, { fromMs, toMs })));
  }, [all, only, find, kind, least, isPart, fromMs, toMs]);
  const attemptCounts = useMemo(() => attemptFilters(all, least), [all, least]);
  const kinds = useMemo(() => [...new Set(all.map((lane) => lane.kind))].sort(), [all]);
  return { all, found, bars, wholeAxis, axis, ...ranged, kinds, attemptCounts };
}
