import { useEffect, useRef, useState } from 'react';
import type { TimeRange } from './timeAxis.ts';
import { rangeText, readRange, within } from './timeRange.ts';

/** Key presses are collected so long before they change the address. */
const settleMs = 300;

interface TimeRangeState {
  /** The range that is shown; undefined for the whole run. */
  range: TimeRange | undefined;
  /** The range still changes: the address has the one before. */
  isMoving: boolean;
  /** A range without an end, up to `Infinity`, goes on with the run. */
  move: (range: TimeRange | undefined) => void;
  /** Ends a movement at once. */
  settle: () => void;
}

/**
 * The range of time that a person chose. While it moves it is kept here, because browsers bound how
 * often a page may change its address.
 */
export function useTimeRange(
  text: string | undefined,
  whole: TimeRange,
  onSettle: (text: string | undefined) => void,
): TimeRangeState {
  const [moved, setMoved] = useState<{ range: TimeRange | undefined }>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const settle = (): void => {
    clearTimeout(timer.current);
    if (!moved) return;
    const next = moved.range && rangeText(moved.range, whole.fromMs);
    if (next === text) setMoved(undefined);
    else onSettle(next);
  };
  const latest = useRef(settle);
  useEffect(() => {
    latest.current = settle;
  });
  // The movement ends once the address has it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => setMoved(undefined), [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    range: moved ? moved.range && within(moved.range, whole) : readRange(text, whole),
    isMoving: moved !== undefined,
    move: (range) => {
      setMoved({ range });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => latest.current(), settleMs);
    },
    settle: () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => latest.current(), 0);
    },
  };
}
