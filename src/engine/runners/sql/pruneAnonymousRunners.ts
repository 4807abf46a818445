import { statement } from '../../db/index.ts';

/**
 * Drops connections without an id of their own that nobody heard of for a day: each connect makes a new one, and none comes
 * back. A hundred at a time.
 */
export const pruneAnonymousRunners = statement<
  { projectId: string; apps: readonly string[]; now: Date },
  { id: string }
>({
  name: 'pruneAnonymousRunners',
  writes: true,
  text: `
    delete from runner
    where id in (
      select id
      from runner
      where project_id = $1
        and app = any($2::text[])
        and transport = 'connect'
        and runner_id = 'conn://' || connection_id::text
        and last_seen_at < $3::timestamptz - interval '1 day'
      limit 100
      for update skip locked
    )
    returning id`,
  values: ({ projectId, apps, now }) => [projectId, apps, now],
});
