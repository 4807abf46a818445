import { statement } from '../../db/index.ts';
import { lockPolicies, type PolicyOwner, policyOwners } from './policyLocks.ts';

/** Waits for all who go by the policies of workflows (`keepPolicies`), and has others wait until the transaction ends. */
export const changePolicies = statement<{ workflows: readonly PolicyOwner[] }, never>({
  name: 'changePolicies',
  writes: false,
  text: lockPolicies('pg_advisory_xact_lock'),
  values: ({ workflows }) => policyOwners(workflows),
});
