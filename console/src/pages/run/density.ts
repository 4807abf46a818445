import type { Bar } from './lanes.ts';
import type { TimeAxis } from './timeAxis.ts';

/** How much went on in each part of an axis, as outlines in a box of `parts` by 1. */
export interface Density {
  /** Steps at work: the higher, the more at once. */
  work: string;
  /** Parts in which something waited. */
  wait: string;
  /** Parts in which an attempt failed. */
  failed: string;
}

export const parts = 160;

/** However short a step was, its part is as high as this. */
const leastHeight = 0.15;

/** Draws thousands of bars as three outlines. */
export function density(bars: readonly Bar[], axis: TimeAxis): Density {
  const work = loads(
    bars.filter(({ kind }) => kind === 'work'),
    axis,
  );
  const waits = loads(
    bars.filter(({ kind }) => kind === 'wait' || kind === 'queued'),
    axis,
  );
  const most = work.reduce((max, { atOnce }) => Math.max(max, atOnce), 1);
  const failed = new Set(
    bars.filter(({ status }) => status === 'FAILED').map(({ fromMs, toMs }) => partsOf(axis, fromMs, toMs).last),
  );
  return {
    // The root keeps one step visible beside a hundred.
    work: outline(work.map(({ isUsed, atOnce }) => (isUsed ? Math.max(leastHeight, Math.sqrt(atOnce / most)) : 0))),
    wait: outline(waits.map(({ isUsed }) => (isUsed ? 1 : 0))),
    failed: outline(Array.from({ length: parts }, (_, part) => (failed.has(part) ? 1 : 0))),
  };
}

/** The parts that a stretch of time touches, and its ends in parts. */
function partsOf({ place }: TimeAxis, fromMs: number, toMs: number) {
  const from = place(fromMs) * parts;
  const to = place(toMs) * parts;
  const first = Math.min(parts - 1, Math.floor(from));
  return { from, to, first, last: Math.max(first, Math.min(parts - 1, Math.ceil(to) - 1)) };
}

interface Load {
  isUsed: boolean;
  /** How many bars it has at once, on average. */
  atOnce: number;
}

/** How full each part of the axis is. */
function loads(bars: readonly Bar[], axis: TimeAxis): Load[] {
  const own = new Array<number>(parts).fill(0);
  const touched = new Array<number>(parts + 1).fill(0);
  const covered = new Array<number>(parts + 1).fill(0);
  const add = (list: number[], at: number, by: number): void => {
    list[at] = (list[at] ?? 0) + by;
  };
  for (const { fromMs, toMs } of bars) {
    const { from, to, first, last } = partsOf(axis, fromMs, toMs);
    add(touched, first, 1);
    add(touched, last + 1, -1);
    if (first === last) add(own, first, to - from);
    else {
      add(own, first, first + 1 - from);
      add(own, last, to - last);
      add(covered, first + 1, 1);
      add(covered, last, -1);
    }
  }
  let users = 0;
  let full = 0;
  return own.map((partly, at) => {
    users += touched[at] ?? 0;
    full += covered[at] ?? 0;
    return { isUsed: users > 0, atOnce: partly + full };
  });
}

/** Columns that stand on the lower edge; neighbours of one height are one column. */
function outline(heights: readonly number[]): string {
  let path = '';
  let from = 0;
  for (let at = 1; at <= heights.length; at += 1) {
    const height = heights[from] ?? 0;
    if (at < heights.length && heights[at] === height) continue;
    if (height > 0) path += `M${from} 1V${(1 - height).toFixed(3)}H${at}V1Z`;
    from = at;
  }
  return path;
}
