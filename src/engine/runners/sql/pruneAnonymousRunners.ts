import { statement, text, timestamptz, uuid } from '../../db/index.ts';

/**
 * Deletes runners without a stable id that were silent for a day, a hundred at a time. Each of
 * their connections adds a row, which no later connection uses.
 */
export const pruneAnonymousRunners = statement<{ id: string }>('pruneAnonymousRunners').writes({
  params: { projectId: uuid, apps: text.list, at: timestamptz },
  text: `
    delete from runner
    where id in (
      select id
      from runner
      where project_id = $projectId
        and app = any($apps)
        and transport = 'connect'
        and runner_id = 'conn://' || connection_id::text
        and last_seen_at < $at - interval '1 day'
      limit 100
      for update skip locked
    )
    returning id`,
});
