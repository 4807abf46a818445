import { bytea, instant, json, rowset, statement, text, uuid } from '../../../db/index.ts';

/**
 * Records verified messages with their first attempts. The source of a message must be as it was
 * when the message was judged (`version`) and enabled; returns the ids of those that are recorded.
 */
export const recordVerified = statement<{ id: string }>('recordVerified').writes({
  params: {
    now: instant,
    messages: rowset({
      id: uuid,
      attemptId: uuid,
      sourceId: uuid,
      version: text,
      status: text,
      eventId: uuid.orNull,
      runId: uuid.orNull,
      requestHeaders: json,
      body: bytea,
    }),
  },
  text: `
    with given as (
      select m.*, s.project_id
      from $messages as m
      join webhook_source s on s.id = m.source_id and s.xmin::text = m.version and s.enabled
    ),
    delivered as (
      insert into webhook_source_delivery (id, project_id, source_id, status, event_id, run_id, request_headers, body,
        created_at)
      select id, project_id, source_id, status, event_id, run_id, request_headers, body, $now from given
    ),
    attempted as (
      insert into webhook_source_attempt (id, delivery_id, attempt, trigger, status, event_id, run_id, created_at)
      select attempt_id, id, 1, 'initial', status, event_id, run_id, $now from given
    )
    select id from given
  `,
});
