import { bigint, statement } from '../../db/index.ts';

/**
 * Locks `singleton` places until the end of the transaction, in order. A statement of its own: the
 * former holder of the lock has committed when the next statement looks for the runs in the places.
 */
export const lockPlaces = statement<{ locked: unknown }>('lockPlaces').reads({
  params: { digests: bigint.list },
  text: `
    select pg_advisory_xact_lock(digest) as locked
    from (select distinct digest from unnest($digests) as p(digest) order by digest offset 0) places
  `,
});
