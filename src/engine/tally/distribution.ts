/** Counts of values by upper bounds, as a histogram of Prometheus has them. */
export class Distribution {
  /** In rising order. */
  readonly bounds: readonly number[];
  /** Values per bound, and at the end those above all bounds. Not cumulative. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Counts a value. A negative one counts as 0: clocks of different machines differ. */
  observe(value: number): void {
    const counted = Math.max(0, value);
    let at = 0;
    while (at < this.bounds.length && counted > (this.bounds[at] ?? 0)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += counted;
  }

  add(other: Distribution): void {
    other.counts.forEach((count, at) => {
      this.counts[at] = (this.counts[at] ?? 0) + count;
    });
    this.sum += other.sum;
  }
}
