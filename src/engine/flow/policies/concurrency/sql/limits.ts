/*
 * Limits are read in the statement that applies them. As subqueries within subqueries, because the
 * planner would join whole tables of lanes and definitions for each of them.
 */

/**
 * SQL: how many runs of a scope of the lane's workflow may execute at once; null where it has no
 * `concurrency` policy.
 */
export const concurrencyLimit = (laneId: string): string => `(
      select (
        select (definition.flow_control -> 'concurrency' ->> 'limit')::int8 from workflow definition
        where definition.project_id = route.project_id and definition.app = route.app and definition.name = route.workflow
      )
      from lane route where route.id = ${laneId}
    )`;

/**
 * SQL: how many runs have a slot, or its promise, counted up to `max`: runs that execute, that are
 * ready, and that have passed the slot's gate and wait for the project's ceiling.
 */
export const promisedRuns = (slot: string, max: string): string => `(
      select count(*) from (
        (select 1 from run_work w where w.slot = ${slot} and w.state in ('leased', 'ready') limit ${max})
        union all
        (select 1 from run_work w where w.state = 'gated' and w.gate = 'ceiling' and w.slot = ${slot} limit ${max})
      ) promised
    )`;

/**
 * SQL: whether nothing limits how many runs of a lane execute at once: neither its project nor its
 * workflow, as of now.
 */
export const isUnlimited = (laneId: string): string => `(
      select (select concurrency_ceiling = 0 from project where id = route.project_id) and (
        select definition.flow_control -> 'concurrency' from workflow definition
        where definition.project_id = route.project_id and definition.app = route.app and definition.name = route.workflow
      ) is null
      from lane route where route.id = ${laneId}
    )`;

/** SQL: the name of the lock under which the executing runs of a project are counted. */
export const ceilingLock = (projectId: string): string => `hashtextextended(${projectId}::text, 0)`;

/**
 * SQL: whether some run waits for the slot: then a new one lines up behind it. A hint only: a run
 * that lines up looks for a free slot after its commit (`openGates`), and the claim decides under
 * the slot's lock.
 */
export const hasGated = (slot: string): string =>
  `exists (select from run_work waiting where waiting.slot = ${slot} and waiting.state = 'gated')`;
