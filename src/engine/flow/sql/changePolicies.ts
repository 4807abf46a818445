import { statement } from '../../db/index.ts';
import { lockPolicies, policyOwners } from './policyLocks.ts';

/** Waits for all owners of `keepPolicies`, and blocks new ones until the transaction ends. */
export const changePolicies = statement<never>('changePolicies').reads({
  params: { workflows: policyOwners },
  text: lockPolicies('pg_advisory_xact_lock'),
});
