import { statement } from '../../db/index.ts';
import { lockPolicies, policyOwners } from './policyLocks.ts';

/**
 * Keeps the policies of workflows unchanged until the transaction ends. A transaction that delays a
 * start, or takes turns of a rate, does so under this lock, and reads the policies after it. A
 * registration that changes them (`changePolicies`) then carries over its writes, or has come
 * before. This lock comes before those of rates and buffers.
 */
export const keepPolicies = statement<never>('keepPolicies').reads({
  params: { workflows: policyOwners },
  text: lockPolicies('pg_advisory_xact_lock_shared'),
});
