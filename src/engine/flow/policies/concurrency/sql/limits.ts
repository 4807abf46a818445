/*
 * Limits are read in the statement that applies them. Nested subqueries keep the planner from
 * joining whole tables of lanes and definitions.
 */

/** SQL: the `concurrency` limit of the lane's workflow, per scope; null without the policy. */
export const concurrencyLimit = (laneId: string): string => `(
      select (
        select (definition.flow_control -> 'concurrency' ->> 'limit')::int8 from workflow definition
        where definition.project_id = route.project_id and definition.app = route.app and definition.name = route.workflow
      )
      from lane route where route.id = ${laneId}
    )`;

/**
 * SQL: how many runs have a slot or its promise, counted up to `max`. These are executing runs,
 * ready runs, and runs that only wait for the project's ceiling.
 */
export const promisedRuns = (slot: string, max: string): string => `(
      select count(*) from (
        (select 1 from run_work w where w.slot = ${slot} and w.state in ('leased', 'ready') limit ${max})
        union all
        (select 1 from run_work w where w.state = 'gated' and w.gate = 'ceiling' and w.slot = ${slot} limit ${max})
      ) promised
    )`;

/**
 * SQL: whether neither the project nor the workflow currently limits the executing runs of a lane.
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
 * SQL: whether any run waits for the slot, so that a new run must queue behind it. This is only a
 * hint. A queued run looks for a free slot after its commit (`openGates`), and the claim decides
 * under the slot's lock.
 */
export const hasGated = (slot: string): string =>
  `exists (select from run_work waiting where waiting.slot = ${slot} and waiting.state = 'gated')`;
