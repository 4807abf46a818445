/*
 * The generic cell rate algorithm, on which `throttle`, `rateLimit` and `tokenThrottle` rest (2.2).
 * It stands here and nowhere else, as SQL: the database's clock and its row locks make it right
 * across any number of processes.
 *
 * A scope has one number, its theoretical arrival time (TAT): when everything let through so far
 * would have come at an even pace. What comes is let through as long as the TAT is not further
 * ahead of now than the burst allows, and moves it on by one interval. Times are microseconds since
 * the epoch, as `numeric`: intervals are fractions, so sums of them are right to the sixteenth
 * digit or so, and a start exactly in time must not be a hair too early.
 */

/** A share of an interval: larger than the errors of sums, and too small to be noticed. */
const hair = '0.000001';

/** SQL: the present instant, in microseconds; for statements with the parameter `now`. */
export const nowUs = '(extract(epoch from $clock) * 1000000)';

interface Terms {
  tat: string;
  now: string;
  interval: string;
}

/**
 * How many of `wanted` conform now. `burst` is how far ahead the TAT may be; null: without end,
 * nothing is turned away.
 */
export const conforming = ({ tat, now, interval, wanted, burst }: Terms & { wanted: string; burst: string }): string =>
  `case when ${burst} is null then ${wanted}
    else greatest(0, least(${wanted}, floor((${now} + ${burst} - greatest(${tat}, ${now})) / ${interval} + ${hair}) + 1))::int end`;

/** The TAT once `count` more were let through. */
export const advanced = ({ tat, now, interval, count }: Terms & { count: string }): string =>
  `greatest(${tat}, ${now}) + ${count} * ${interval}`;
