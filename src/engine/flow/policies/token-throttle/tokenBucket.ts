import { lastInstantMs } from '../../../instant.ts';
import { advanced } from '../../index.ts';

/*
 * 2.2 `tokenThrottle`: a bucket of `tokens` that refills evenly within `perMs`. The bucket is a
 * rate (`gcra.ts`) whose interval is the time of one token. Its only state is the theoretical
 * arrival time: when the bucket is full again. The spend of a run is known only afterwards, so the
 * bucket may be overdrawn. Starts wait until it holds tokens again.
 */

/** The policy of the bucket's rate. */
export const tokenPolicy = 'tokenThrottle';

interface Bucket {
  /** When the bucket is full again, in microseconds since the epoch. */
  tat: string;
  now: string;
  perMs: string;
}

/** When the bucket is full again after a debit of `count` tokens. */
export const debited = ({ tat, now, perMs, tokens, count }: Bucket & { tokens: string; count: string }): string =>
  advanced({ tat, now, interval: `(${perMs}::numeric * 1000 / ${tokens})`, count });

/** The number of tokens in the bucket; negative if it is overdrawn. */
export const level = ({ tat, now, perMs, tokens }: Bucket & { tokens: string }): string =>
  `(${tokens} - greatest(0, ${tat} - ${now}) * ${tokens} / (${perMs}::numeric * 1000))`;

/**
 * The first millisecond at which the bucket holds a token; null if it holds one now. Microseconds
 * are rounded to integers, because the time of a token may be an infinite fraction.
 */
export const refilledAt = ({ tat, now, perMs }: Bucket): string => {
  const emptyUntil = `ceil(${tat} - ${perMs}::numeric * 1000)`;
  return `case when ${emptyUntil} >= ${now}
    then to_timestamp((least(floor(${emptyUntil} / 1000) + 1, ${lastInstantMs}) / 1000)::float8) end`;
};
