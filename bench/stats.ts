/** Figures by name, nested to any depth. */
export interface Measures {
  [name: string]: number | Measures;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** The smallest value that at least `percent` of the values do not exceed. NaN for no values. */
export function percentile(values: readonly number[], percent: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * ordered.length));
  return ordered[rank - 1] ?? Number.NaN;
}

export function spread(values: readonly number[], digits = 2): Measures {
  const rounded = (value: number): number => round(value, digits);
  return {
    n: values.length,
    mean: rounded(sum(values) / values.length),
    p50: rounded(percentile(values, 50)),
    p95: rounded(percentile(values, 95)),
    p99: rounded(percentile(values, 99)),
    max: rounded(Math.max(...values)),
  };
}

/**
 * The minimum, median and maximum of each figure over the repetitions. Figures that a repetition
 * lacks are left out.
 */
export function acrossRepetitions(repetitions: readonly Measures[]): Measures {
  const [first, ...others] = repetitions;
  const names = Object.keys(first ?? {}).filter((name) => others.every((other) => name in other));
  return Object.fromEntries(
    names.map((name) => [name, acrossOne(repetitions.map((each) => each[name] ?? Number.NaN))]),
  );
}

function acrossOne(values: readonly (number | Measures)[]): Measures {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return acrossRepetitions(values.filter((value) => typeof value !== 'number'));
  return { min: Math.min(...numbers), median: round(median(numbers), 3), max: Math.max(...numbers) };
}

function median(values: readonly number[]): number {
  const ordered = values.toSorted((a, b) => a - b);
  const middle = Math.floor(ordered.length / 2);
  const upper = ordered[middle] ?? Number.NaN;
  return ordered.length % 2 === 1 ? upper : (upper + (ordered[middle - 1] ?? Number.NaN)) / 2;
}
