import { bool, instant, statement, text, uuid } from '../../../db/index.ts';

/** Writes the settings of a locked source. Fails if an index finds its name taken. */
export const changeSource = statement<{ id: string }>('changeSource').writes({
  params: {
    now: instant,
    id: uuid,
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
    update webhook_source
    set name = $name, app = $app, event_name = $eventName, target_app = $targetApp, dedupe_key = $dedupeKey,
      scheme = $scheme, handshake = $handshake, expose_headers = $exposeHeaders, enabled = $enabled, updated_at = $now
    where id = $id
    returning id`,
});
