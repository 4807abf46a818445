import type { Bucket, ChartSeries } from '../../design/chartData.ts';
import type { Figure } from './aiSearch.ts';

/** A row of the spend by bucket and model. */
export interface SpendRow {
  bucket: string;
  model: string | null;
  calls: number;
  tokens: number;
  cost: number | null;
}

/** So many models have a colour of their own; the rest are one series. */
const ownModels = 5;
const restKey = ' rest';

export interface SpendSeries {
  series: ChartSeries[];
  rows: Bucket[];
}

/** The series of a chart: the models with the highest figure, and all others together. */
export function spendSeries(rows: readonly SpendRow[], figure: Figure): SpendSeries {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + (row[figure] ?? 0));
  const names = [...sums].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([name]) => name);
  const own = new Set(names.slice(0, ownModels));
  const rest = names.length - own.size;
  const series = [...own].map((name) => ({ key: name, label: name }));
  if (rest > 0) series.push({ key: restKey, label: rest === 1 ? '1 more model' : `${rest} more models` });
  return { series, rows: bucketsOf(rows, figure, (name) => (own.has(name) ? name : restKey)) };
}

function bucketsOf(rows: readonly SpendRow[], figure: Figure, keyOf: (name: string) => string): Bucket[] {
  const buckets = new Map<number, Map<string, number>>();
  for (const row of rows) {
    const at = Date.parse(row.bucket);
    const values = buckets.get(at) ?? new Map<string, number>();
    const key = keyOf(nameOf(row));
    buckets.set(at, values.set(key, (values.get(key) ?? 0) + (row[figure] ?? 0)));
  }
  return [...buckets].map(([at, values]) => ({ at, values: Object.fromEntries(values) }));
}

/** Calls whose client reported no model. */
export const unnamedModel = 'without a model name';

const nameOf = ({ model }: { model: string | null }): string => model ?? unnamedModel;
