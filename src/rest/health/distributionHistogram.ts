import { Histogram, type LabelValues } from 'prom-client';
import type { Distribution } from '../../engine/tally/index.ts';

interface Labelled<Label extends string> {
  labels: LabelValues<Label>;
  distribution: Distribution;
}

interface Configuration<Label extends string> {
  name: string;
  help: string;
  labelNames: Label[];
  buckets: number[];
  registers: NonNullable<ConstructorParameters<typeof Histogram<Label>>[0]['registers']>;
}

/** A histogram whose values the engine has counted. */
export class DistributionHistogram<Label extends string> extends Histogram<Label> {
  readonly #configuration: Configuration<Label>;
  readonly #read: () => readonly Labelled<Label>[];

  constructor(configuration: Configuration<Label>, read: () => readonly Labelled<Label>[]) {
    super(configuration);
    this.#configuration = configuration;
    this.#read = read;
  }

  /** The method by which the registry, and `get` of the library, ask for the values. */
  async getForPromString() {
    const { name, help } = this.#configuration;
    const values = this.#read().flatMap((each) => seriesOf(name, each));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}

/** The series of one set of labels. Buckets are cumulative. */
function seriesOf<Label extends string>(name: string, { labels, distribution }: Labelled<Label>) {
  const { bounds, counts, sum } = distribution;
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
