import { lastInstantMs } from '../../../instant.ts';
import { advanced } from '../../index.ts';

/*
 * 2.2 `tokenThrottle`: a bucket of `tokens` that fills up evenly within `perMs`, as a rate
 * (`gcra.ts`) whose interval is the time of one token. It has no memory but the theoretical arrival
 * time: when the bucket would be full again. The spend of a run is known only afterwards, so the
 * bucket may be overdrawn. Starts wait until it holds tokens again.
 */

/** The policy of the rate that a bucket is. */
export const tokenPolicy = 'tokenThrottle';

interface Bucket {
  /** When it is full again, in microseconds since the epoch. */
  tat: string;
  now: string;
  perMs: string;
}

/** When it is full again once `count` tokens more were taken. */
export const debited = ({ tat, now, perMs, tokens, count }: Bucket & { tokens: string; count: string }): string =>
  advanced({ tat, now, interval: `(${perMs}::numeric * 1000 / ${tokens})`, count });

/** How many tokens are in it; negative when it is overdrawn. */
export const level = ({ tat, now, perMs, tokens }: Bucket & { tokens: string }): string =>
  `(${tokens} - greatest(0, ${tat} - ${now}) * ${tokens} / (${perMs}::numeric * 1000))`;

/**
 * The first millisecond at which something is in it again; null when something is. Whole
 * microseconds, because the time of a token may be a fraction without end.
 */
export const refilledAt = ({ tat, now, perMs }: Bucket): string => {
  const emptyUntil = `ceil(${tat} - ${perMs}::numeric * 1000)`;
  return `case when ${emptyUntil} >= ${now}
    then to_timestamp((least(floor(${emptyUntil} / 1000) + 1, ${lastInstantMs}) / 1000)::float8) end`;
};
