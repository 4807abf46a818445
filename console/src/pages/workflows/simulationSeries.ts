import { bucketFor, type ChartColumns } from '../../design/chartData.ts';
import { changesOf, executions, type Simulation, type Stretch, waits } from './simulationFigures.ts';

export const simulationSeries = [
  { key: 'came', label: 'Starts that came' },
  { key: 'began', label: 'Runs that began to execute' },
  { key: 'waiting', label: 'Starts that wait' },
] as const;

export interface SimulationChart {
  columns: ChartColumns;
  bucketMs: number;
  /** Runs that begin beyond the end of the chart. */
  later: number;
}

const mostBuckets = 60;
const shortWidths = [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000);

/** The width of buckets: whole seconds for a short time, else as in the charts of other pages. */
export const widthFor = (spanMs: number): number =>
  shortWidths.find((width) => spanMs / width <= mostBuckets) ?? bucketFor(spanMs, mostBuckets);

/**
 * Starts that come, begin and wait over time. The chart goes on beyond the end of the time, up to
 * twice its length, until the last run has begun.
 */
export function chartOf(simulation: Omit<Simulation, 'isCapped' | 'gates'>): SimulationChart {
  const { since, until, starts } = simulation;
  const [from, asked] = [Date.parse(since), Date.parse(until)];
  const begins = executions(simulation).map(([begin]) => begin);
  const last = begins.reduce((latest, begin) => Math.max(latest, begin), 0);
  const to = Math.min(Math.max(asked, last + 1), asked + (asked - from));
  const bucketMs = widthFor(to - from);
  const first = Math.floor(from / bucketMs) * bucketMs;
  const times = Array.from({ length: Math.ceil((to - first) / bucketMs) }, (_, index) => first + index * bucketMs);
  const buckets = { first, bucketMs, count: times.length };
  const came = countBy(
    starts.map(({ at }) => Date.parse(at)),
    buckets,
  );
  return {
    columns: {
      times: times.map((at) => at / 1_000),
      values: [came, countBy(begins, buckets), mostBy(waits(starts), buckets)],
    },
    bucketMs,
    later: begins.filter((begin) => begin >= to).length,
  };
}

interface Buckets {
  first: number;
  bucketMs: number;
  count: number;
}

function countBy(instants: readonly number[], { first, bucketMs, count }: Buckets): number[] {
  const counts = new Array<number>(count).fill(0);
  for (const at of instants) {
    const index = Math.floor((at - first) / bucketMs);
    const value = counts[index];
    if (value !== undefined) counts[index] = value + 1;
  }
  return counts;
}

/** The most stretches that are open at once within each bucket. */
function mostBy(stretches: readonly Stretch[], { first, bucketMs, count }: Buckets): number[] {
  const changes = changesOf(stretches);
  let [next, open] = [0, 0];
  const step = (): void => {
    open += changes[next]?.[1] ?? 0;
    next += 1;
  };
  const comesBefore = (at: number): boolean => (changes[next]?.[0] ?? Number.POSITIVE_INFINITY) < at;
  return Array.from({ length: count }, (_, index) => {
    const start = first + index * bucketMs;
    // What ends with the beginning of a bucket is not open in it.
    while (comesBefore(start + 1)) step();
    let most = open;
    while (comesBefore(start + bucketMs)) {
      step();
      most = Math.max(most, open);
    }
    return most;
  });
}
