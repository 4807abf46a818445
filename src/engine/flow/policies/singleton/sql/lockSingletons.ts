import { bigint, statement } from '../../../../db/index.ts';

/**
 * Locks singletons until the end of the transaction, in order. The holders are read by a later
 * statement, which sees the commit of the lock's former owner.
 */
export const lockSingletons = statement<{ locked: unknown }>('lockSingletons').reads({
  params: { digests: bigint.list },
  text: `
    select pg_advisory_xact_lock(digest) as locked
    from (select distinct digest from unnest($digests) as p(digest) order by digest offset 0) places
  `,
});
