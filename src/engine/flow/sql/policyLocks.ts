/** A workflow by its names. */
export interface PolicyOwner {
  projectId: string;
  app: string;
  workflow: string;
}

/** Locks that the workflows of a project share, so that a start of a thousand workflows at once does not fill the lock table. */
const stripes = 16;

/** SQL: takes the lock of each of `policyOwners`, in one order. */
export const lockPolicies = (take: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared'): string => `
  select ${take}(project, stripe) from (
    select distinct hashtext('policies of ' || project_id) as project, abs(hashtext(app || ' ' || workflow) % ${stripes}) as stripe
    from unnest($1::text[], $2::text[], $3::text[]) as w(project_id, app, workflow)
    order by 1, 2
    offset 0
  ) locks`;

export const policyOwners = (workflows: readonly PolicyOwner[]): unknown[] => [
  workflows.map((each) => each.projectId),
  workflows.map((each) => each.app),
  workflows.map((each) => each.workflow),
];
