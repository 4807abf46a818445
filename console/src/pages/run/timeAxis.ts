import { durationText } from '../../design/index.ts';
import type { Bar } from './lanes.ts';

/** A stretch of the axis. A folded one takes little room, however long it is. */
export interface Stretch {
  fromMs: number;
  toMs: number;
  /** Its place on the axis, from 0 to 1. */
  from: number;
  to: number;
  isFolded: boolean;
}

/** A stretch of time, in ms of the clock. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

export interface TimeAxis extends TimeRange {
  stretches: Stretch[];
  /** Whether folding would make a difference. */
  canFold: boolean;
  isFolded: boolean;
  /** The place of an instant on the axis, from 0 to 1. */
  place: (atMs: number) => number;
  /** The instant at a place: the inverse. */
  instant: (at: number) => number;
  marks: Mark[];
}

export interface Mark {
  at: number;
  label: string;
  isFold: boolean;
}

/** The room of a folded wait, as a part of the axis; all together take at most half. */
const foldedShare = 0.05;
/** Only waits of at least this part of the whole, and of this length in ms, are folded. */
const longPart = 0.05;
const longMs = 1_000;
/** Waits that take more than this part of the time are folded at first. */
const foldByDefault = 0.8;

/**
 * The axis of a timeline. With `fold`, the long times in which nothing works become short
 * stretches, so that sleeps do not squeeze the work to a pixel. An axis of a part of the run has
 * marks that count from the beginning of the part.
 */
export function timeAxis(
  range: TimeRange & { isPart?: boolean },
  bars: readonly Bar[],
  fold: 'on' | 'off' | undefined,
): TimeAxis {
  const fromMs = range.fromMs;
  const toMs = Math.max(range.toMs, fromMs + 1);
  const total = toMs - fromMs;
  const work = merged(bars.filter((bar) => bar.kind === 'work' && overlaps(bar, { fromMs, toMs })));
  const least = Math.max(longMs, total * longPart);
  const idle = between(work, fromMs, toMs).filter((stretch) => stretch.toMs - stretch.fromMs >= least);
  const idleMs = idle.reduce((sum, stretch) => sum + stretch.toMs - stretch.fromMs, 0);
  const canFold = work.length > 0 && idle.length > 0;
  const isFolded = canFold && (fold === 'on' || (fold === undefined && idleMs / total > foldByDefault));
  const stretches = layOut(fromMs, toMs, isFolded ? idle : []);
  return {
    fromMs,
    toMs,
    stretches,
    canFold,
    isFolded,
    place: (atMs) => placeOn(stretches, atMs),
    instant: (at) => instantOn(stretches, at),
    marks: spaced(marksOf(stretches, { originMs: fromMs, sign: range.isPart ? '+' : '' })),
  };
}

/** Whether two stretches of time have an instant in common. */
export const overlaps = (one: TimeRange, other: TimeRange): boolean =>
  one.fromMs <= other.toMs && one.toMs >= other.fromMs;

/** Intervals joined where they touch, in order. */
function merged(intervals: readonly TimeRange[]): TimeRange[] {
  const joined: TimeRange[] = [];
  for (const { fromMs, toMs } of [...intervals].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined[joined.length - 1];
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}

function between(work: readonly TimeRange[], fromMs: number, toMs: number): TimeRange[] {
  const edges = [{ fromMs, toMs: fromMs }, ...work, { fromMs: toMs, toMs }];
  return edges.slice(1).flatMap((next, at) => {
    const start = Math.max(edges[at]?.toMs ?? fromMs, fromMs);
    const end = Math.min(next.fromMs, toMs);
    return end > start ? [{ fromMs: start, toMs: end }] : [];
  });
}

function layOut(fromMs: number, toMs: number, folded: readonly TimeRange[]): Stretch[] {
  const share = folded.length > 0 ? Math.min(foldedShare, 0.5 / folded.length) : 0;
  const plain = between(folded, fromMs, toMs);
  const plainMs = plain.reduce((sum, stretch) => sum + stretch.toMs - stretch.fromMs, 0);
  const plainShare = plain.length > 0 ? 1 - share * folded.length : 0;
  const all = [
    ...folded.map((stretch) => ({ ...stretch, isFolded: true })),
    ...plain.map((stretch) => ({ ...stretch, isFolded: false })),
  ].sort((a, b) => a.fromMs - b.fromMs);
  let at = 0;
  return all.map((stretch) => {
    const width = stretch.isFolded
      ? plain.length > 0
        ? share
        : 1 / folded.length
      : ((stretch.toMs - stretch.fromMs) / plainMs) * plainShare;
    const from = at;
    at = Math.min(1, at + width);
    return { ...stretch, from, to: at };
  });
}

function placeOn(stretches: readonly Stretch[], atMs: number): number {
  for (const { fromMs, toMs, from, to } of stretches) {
    if (atMs <= fromMs) return from;
    if (atMs <= toMs) return from + ((atMs - fromMs) / (toMs - fromMs)) * (to - from);
  }
  return 1;
}

function instantOn(stretches: readonly Stretch[], at: number): number {
  for (const { fromMs, toMs, from, to } of stretches)
    if (at <= to) return to > from ? fromMs + (Math.max(0, at - from) / (to - from)) * (toMs - fromMs) : fromMs;
  return stretches.at(-1)?.toMs ?? 0;
}

const wantedMarks = 6;
const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 1.2e5, 3e5, 6e5, 1.2e6, 1.8e6, 3.6e6, 7.2e6,
  1.8e7, 3.6e7, 8.64e7, 1.728e8, 6.048e8,
];

/** Marks at round times since the start, and the length of each folded wait. */
function marksOf(stretches: readonly Stretch[], { originMs, sign }: { originMs: number; sign: string }): Mark[] {
  return stretches.flatMap((stretch): Mark[] => {
    const lengthMs = stretch.toMs - stretch.fromMs;
    if (stretch.isFolded) return [{ at: (stretch.from + stretch.to) / 2, label: durationText(lengthMs), isFold: true }];
    const count = Math.max(1, Math.round(wantedMarks * (stretch.to - stretch.from)));
    const step = steps.find((ms) => lengthMs / ms <= count) ?? lengthMs;
    const first = Math.ceil((stretch.fromMs - originMs) / step) * step;
    const marks: Mark[] = [];
    for (let ms = first; originMs + ms <= stretch.toMs && marks.length < 2 * wantedMarks; ms += step) {
      const label = `${sign}${ms === 0 ? '0' : durationText(ms)}`;
      marks.push({ at: placeOn(stretches, originMs + ms), label, isFold: false });
    }
    return marks;
  });
}

/** The room of a label, as a part of the axis of a narrow screen. */
const labelShare = 0.08;

/** The marks whose labels do not overlap. The lengths of folded waits go first. */
function spaced(marks: readonly Mark[]): Mark[] {
  const kept: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => Number(b.isFold) - Number(a.isFold)))
    if (kept.every(({ at }) => Math.abs(at - mark.at) >= labelShare)) kept.push(mark);
  return kept.sort((a, b) => a.at - b.at);
}
