import { bool, instant, statement, text, uuid } from '../../../db/index.ts';

/** Stores an endpoint with its lane. Fails if an index finds its name or its URL taken. */
export const insertEndpoint = statement<{ id: string }>('insertEndpoint').writes({
  params: {
    now: instant,
    id: uuid,
    projectId: uuid,
    name: text.orNull,
    app: text.orNull,
    url: text,
    eventKinds: text.list,
    scheme: text,
    enabled: bool,
  },
  text: `
    with endpoint as (
      insert into webhook_endpoint (id, project_id, name, app, url, event_kinds, scheme, enabled, created_at, updated_at)
      values ($id, $projectId, $name, $app, $url, $eventKinds, $scheme, $enabled, $now, $now)
      returning id, project_id
    )
    insert into webhook_lane (id, project_id)
    select id, project_id
    from endpoint
    returning id`,
});
