import { instant, statement, text, uuid } from '../../../db/index.ts';

/**
 * Appends the attempt of a replay to a locked delivery, with the next number. Writes nothing if the
 * source is not as it was when the replay was decided.
 */
export const appendReplay = statement<{ attempt: number }>('appendReplay').writes({
  params: {
    now: instant,
    id: uuid,
    deliveryId: uuid,
    sourceId: uuid,
    version: text,
    status: text,
    eventId: uuid.orNull,
    runId: uuid.orNull,
    actor: text.orNull,
  },
  text: `
    insert into webhook_source_attempt (id, delivery_id, attempt, trigger, status, event_id, run_id, actor, created_at)
    select $id, $deliveryId,
      1 + coalesce((select max(attempt) from webhook_source_attempt where delivery_id = $deliveryId), 0),
      'replay', $status, $eventId, $runId, $actor, $now
    from webhook_source where id = $sourceId and xmin::text = $version
    returning attempt
  `,
});
