/*
 * The generic cell rate algorithm of `throttle`, `rateLimit` and `tokenThrottle` (2.2). The only
 * implementation is this SQL. The database's clock and row locks make it correct across any number
 * of processes.
 *
 * The only state of a scope is its theoretical arrival time (TAT). The TAT is the time at which all
 * admitted starts would have arrived at an even pace. A start conforms while the TAT is at most the
 * burst ahead of now, and advances the TAT by one interval.
 *
 * Times are microseconds since the epoch, as `numeric`. Intervals are fractions, so their sums are
 * exact to about the sixteenth digit. A start that is exactly on time must not count as early.
 */

/** A fraction of an interval: larger than the error of sums, and too small to matter. */
const hair = '0.000001';

/** SQL: now, in microseconds. The statement needs the parameter `now`. */
export const nowUs = '(extract(epoch from $clock) * 1000000)';

interface Terms {
  tat: string;
  now: string;
  interval: string;
}

/**
 * How many of `wanted` conform now. `burst` is the maximum lead of the TAT. With null, all conform.
 */
export const conforming = ({ tat, now, interval, wanted, burst }: Terms & { wanted: string; burst: string }): string =>
  `case when ${burst} is null then ${wanted}
    else greatest(0, least(${wanted}, floor((${now} + ${burst} - greatest(${tat}, ${now})) / ${interval} + ${hair}) + 1))::int end`;

/** The TAT after `count` more starts. */
export const advanced = ({ tat, now, interval, count }: Terms & { count: string }): string =>
  `greatest(${tat}, ${now}) + ${count} * ${interval}`;
