import { bool, instant, statement, text, uuid } from '../../../db/index.ts';

/**
 * Writes the settings of a locked endpoint. With a choice of `enabled`, it forgets that the service
 * disabled it. Fails if an index finds its name or its URL taken.
 */
export const changeEndpoint = statement<{ id: string }>('changeEndpoint').writes({
  params: {
    now: instant,
    id: uuid,
    name: text.orNull,
    app: text.orNull,
    url: text,
    eventKinds: text.list,
    scheme: text,
    enabled: bool,
    /** Whether a caller chose it. */
    isChosen: bool,
  },
  text: `
    update webhook_endpoint
    set name = $name, app = $app, url = $url, event_kinds = $eventKinds, scheme = $scheme, enabled = $enabled,
      disabled_at = case when not $isChosen then disabled_at end, updated_at = $now
    where id = $id
    returning id`,
});
