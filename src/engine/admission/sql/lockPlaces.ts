import { statement } from '../../db/index.ts';

/**
 * Locks `singleton` places until the end of the transaction, in order. A statement of its own: whoever held the lock before
 * has committed when the next statement looks who takes the places.
 */
export const lockPlaces = statement<{ digests: readonly string[] }, { locked: unknown }>({
  name: 'lockPlaces',
  writes: false,
  text: `
    select pg_advisory_xact_lock(digest) as locked
    from (select distinct digest from unnest($1::bigint[]) as p(digest) order by digest offset 0) places
  `,
  values: ({ digests }) => [digests],
});
