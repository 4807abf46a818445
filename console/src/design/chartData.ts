/** A row of a statistic: the start of its bucket, and its figures by series. */
export interface Bucket {
  at: number;
  values: Readonly<Record<string, number | null>>;
}

export interface ChartSeries {
  /** The key of its figures. */
  key: string;
  label: string;
}

/** The columns of a chart: instants in seconds, and the figures of each series. */
export interface ChartColumns {
  times: number[];
  values: (number | null)[][];
}

interface Span {
  from: number;
  to: number;
  bucketMs: number;
}

/** At most so many buckets: further ones at the start of the span are left out. */
const mostBuckets = 2_000;

/**
 * All buckets of a span, with `absent` where the service names none: it leaves out buckets in which
 * nothing happened.
 */
export function fillBuckets(
  rows: readonly Bucket[],
  series: readonly ChartSeries[],
  { from, to, bucketMs, absent = 0 }: Span & { absent?: number | null },
): ChartColumns {
  const known = new Map(rows.map((row) => [row.at, row.values]));
  const last = Math.floor(to / bucketMs) * bucketMs;
  const first = Math.max(Math.floor(from / bucketMs) * bucketMs, last - (mostBuckets - 1) * bucketMs);
  const starts: number[] = [];
  for (let at = first; at <= last; at += bucketMs) starts.push(at);
  return {
    times: starts.map((at) => at / 1000),
    values: series.map(({ key }) => starts.map((at) => own(known.get(at), key) ?? absent)),
  };
}

/** Keys are names of strangers, such as `constructor`. */
const own = (values: Bucket['values'] | undefined, key: string): number | null | undefined =>
  values && Object.hasOwn(values, key) ? values[key] : undefined;

/** The columns summed from the first series on: the tops of stacked bars. */
export function stacked({ times, values }: ChartColumns): ChartColumns {
  const sums = times.map(() => 0);
  return {
    times,
    values: values.map((column) =>
      column.map((value, index) => {
        const sum = (sums[index] ?? 0) + (value ?? 0);
        sums[index] = sum;
        return sum;
      }),
    ),
  };
}

const minute = 60_000;
const widths = [1, 5, 10, 15, 30, 60, 180, 360, 720, 1440].map((minutes) => minutes * minute);

/** The width of buckets for a span: one that divides a day, so that at most `most` fit. */
export const bucketFor = (spanMs: number, most = 96): number =>
  widths.find((width) => spanMs / width <= most) ?? 7 * 1440 * minute;

/** The label of an instant at the axis: the time, or the day where one begins. */
export function axisLabels(times: readonly number[], zone: 'local' | 'utc'): string[] {
  const options = zone === 'utc' ? ({ timeZone: 'UTC' } as const) : {};
  const fine = times.some((seconds) => seconds % 60 !== 0) ? ({ second: '2-digit' } as const) : {};
  const hours = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const time = new Intl.DateTimeFormat('en-GB', { ...options, ...hours, ...fine });
  const day = new Intl.DateTimeFormat('en-GB', { ...options, day: 'numeric', month: 'short' });
  return times.map((seconds) => {
    const text = time.format(seconds * 1000);
    return /^00:00(:00)?$/.test(text) ? day.format(seconds * 1000) : text;
  });
}
