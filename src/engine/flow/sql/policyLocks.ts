import { rowset, text } from '../../db/index.ts';

/** Workflows by their names. */
export const policyOwners = rowset({ projectId: text, app: text, workflow: text });

/**
 * A fixed number of locks that the workflows of a project share, so that no start fills the lock
 * table.
 */
const stripes = 16;

/** SQL: acquires the locks of `$workflows` (`policyOwners`), in one order. */
export const lockPolicies = (take: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared'): string => `
  select ${take}(project, stripe) from (
    select distinct hashtext('policies of ' || project_id) as project, abs(hashtext(app || ' ' || workflow) % ${stripes}) as stripe
    from $workflows as w
    order by 1, 2
    offset 0
  ) locks`;
