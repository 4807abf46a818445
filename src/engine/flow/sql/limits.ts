/** SQL: how many runs of a scope of the lane's workflow may execute at once; null where it has no `concurrency` policy. */
export const concurrencyLimit = (laneId: string): string => `(
      select (definition.flow_control -> 'concurrency' ->> 'limit')::int8
      from lane route join workflow definition on definition.project_id = route.project_id
        and definition.app = route.app and definition.name = route.workflow
      where route.id = ${laneId}
    )`;

/** SQL: whether nothing limits how many runs of a lane execute at once: neither its project nor its workflow, as of now. */
export const isUnlimited = (laneId: string): string => `exists (
      select from lane route join project owner on owner.id = route.project_id
      where route.id = ${laneId} and owner.concurrency_ceiling = 0 and not exists (
        select from workflow definition
        where definition.project_id = route.project_id and definition.app = route.app
          and definition.name = route.workflow and definition.flow_control -> 'concurrency' is not null)
    )`;

/** SQL: the name of the lock under which the executing runs of a project are counted. */
export const ceilingLock = (projectId: string): string => `hashtextextended(${projectId}::text, 0)`;
