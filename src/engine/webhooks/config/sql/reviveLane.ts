import { statement, uuid } from '../../../db/index.ts';

/** Forgets the failures of an endpoint, so that its deliveries are attempted side by side again. */
export const reviveLane = statement<{ id: string }>('reviveLane').writes({
  params: { id: uuid, projectId: uuid },
  text: `
    insert into webhook_lane (id, project_id)
    values ($id, $projectId)
    on conflict (id) do update
      set failures = 0, failing_since = null
    returning id`,
});
