import { instant, int, json, ordinal, rowset, statement, text, uuid } from '../../../db/index.ts';

/**
 * Records unverified messages with their attempts, at most `$maxPerHour` of a source and hour. The
 * rest is counted. Returns the messages whose source is enabled, and whether each was recorded.
 *
 * `recorded + counted` is the number of all messages of the hour, these included. So the first of
 * them has the place `total - n + 1`. Sources are sorted, so that two batches cannot deadlock.
 */
export const recordUnverified = statement<{ id: string; isRecorded: boolean }>('recordUnverified').writes({
  params: {
    now: instant,
    maxPerHour: int,
    messages: rowset({
      ord: ordinal,
      id: uuid,
      attemptId: uuid,
      sourceId: uuid,
      status: text,
      failureReason: text.orNull,
      requestHeaders: json,
    }),
  },
  text: `
    with given as materialized (
      select m.*, s.project_id, row_number() over (partition by m.source_id order by m.ord) as place
      from $messages as m
      join webhook_source s on s.id = m.source_id and s.enabled
    ),
    hour as (
      insert into webhook_source_hour as h (source_id, hour, recorded, counted)
      select source_id, date_trunc('hour', $now::timestamptz, 'UTC'), least(count(*), $maxPerHour)::int,
        greatest(count(*) - $maxPerHour, 0)::int
      from given group by source_id order by source_id
      on conflict (source_id, hour) do update set
        recorded = least(h.recorded + h.counted + excluded.recorded + excluded.counted, $maxPerHour),
        counted = greatest(h.recorded + h.counted + excluded.recorded + excluded.counted - $maxPerHour, 0)
      returning source_id, recorded + counted as total
    ),
    judged as materialized (
      select g.*, h.total - (select count(*) from given o where o.source_id = g.source_id) + g.place <= $maxPerHour
        as is_recorded
      from given g join hour h using (source_id)
    ),
    delivered as (
      insert into webhook_source_delivery (id, project_id, source_id, status, failure_reason, request_headers, created_at)
      select id, project_id, source_id, status, failure_reason, request_headers, $now from judged where is_recorded
    ),
    attempted as (
      insert into webhook_source_attempt (id, delivery_id, attempt, trigger, status, created_at)
      select attempt_id, id, 1, 'initial', status, $now from judged where is_recorded
    )
    select id, is_recorded from judged
  `,
});
