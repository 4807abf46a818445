import { statement, uuid } from '../../db/index.ts';

/**
 * Marks the runners of closed connections as not connected, unless they have another connection.
 * Outdates cached copies of their projects. Locks runners by key and then projects by id, as
 * registrations do (R2).
 */
export const closeConnections = statement<{ projectId: string }>('closeConnections').writes({
  params: { connectionIds: uuid.list },
  text: `
    with leaving as (
      select id
      from runner
      where connection_id = any($connectionIds) and connected
      order by project_id, app, runner_id
      for update
    ),
    gone as (
      update runner
      set connected = false, dispatcher_id = null
      where id in (select id from leaving)
      returning project_id
    ),
    affected as (
      select id
      from project
      where id in (select project_id from gone)
      order by id
      for no key update
    )
    update project
    set registry_version = registry_version + 1
    where id in (select id from affected)
    returning id as project_id`,
});
