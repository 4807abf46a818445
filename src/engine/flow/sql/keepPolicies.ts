import { statement } from '../../db/index.ts';
import { lockPolicies, type PolicyOwner, policyOwners } from './policyLocks.ts';

/**
 * Has the policies of workflows stay as they are until the transaction ends. Whoever puts a start off, or takes something out of a
 * rate, does so under this lock, and reads the policies after it: a registration that changes them (`changePolicies`) then carries over
 * what he has written, or has come before. Before the locks of rates and buffers.
 */
export const keepPolicies = statement<{ workflows: readonly PolicyOwner[] }, never>({
  name: 'keepPolicies',
  writes: false,
  text: lockPolicies('pg_advisory_xact_lock_shared'),
  values: ({ workflows }) => policyOwners(workflows),
});
