import { statement } from '../../db/index.ts';
import { lockPolicies, policyOwners } from './policyLocks.ts';

/**
 * Keeps the policies of workflows unchanged until the transaction ends. A transaction that delays a
 * start, or takes turns of a rate, reads the policies under this lock. A registration that changes
 * them (`changePolicies`) has committed before, or carries over the writes of this transaction.
 * This lock precedes those of rates and buffers.
 */
export const keepPolicies = statement<never>('keepPolicies').reads({
  params: { workflows: policyOwners },
  text: lockPolicies('pg_advisory_xact_lock_shared'),
});
