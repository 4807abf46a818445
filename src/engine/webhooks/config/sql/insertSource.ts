import { bool, bytea, instant, statement, text, uuid } from '../../../db/index.ts';

/** Stores a source. Fails if an index finds its name or its token taken. */
export const insertSource = statement<{ id: string }>('insertSource').writes({
  params: {
    now: instant,
    id: uuid,
    projectId: uuid,
    tokenHash: bytea,
    name: text.orNull,
    app: text.orNull,
    eventName: text,
    targetApp: text.orNull,
    dedupeKey: text.orNull,
    scheme: text,
    handshake: text.orNull,
    exposeHeaders: text.list,
    enabled: bool,
  },
  text: `
    insert into webhook_source (id, project_id, token_hash, name, app, event_name, target_app, dedupe_key, scheme,
      handshake, expose_headers, enabled, created_at, updated_at)
    select $id, project.id, $tokenHash, $name, $app, $eventName, $targetApp, $dedupeKey, $scheme, $handshake,
      $exposeHeaders, $enabled, $now, $now
    from project
    where project.id = $projectId
    returning id`,
});
