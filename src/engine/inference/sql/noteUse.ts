import { bool, instant, int, statement, text, timestamptz, uuid } from '../../db/index.ts';
import { waitingSql } from './waitingSql.ts';
import { widthSql } from './widthSql.ts';

/**
 * Notes the end of a send for its key and its lane. An answer to a send that began after the last
 * hold ends the hold, and doubles the width of the lane. A success is noted now and then. A refusal
 * for good is kept as the reason of the lane. Rows are rarely changed, because many calls share
 * them.
 */
export const noteUse = statement<{ hasWaiting: boolean }>('noteUse').writes({
  params: {
    now: instant,
    keyId: uuid,
    laneId: uuid,
    limit: int,
    isAnswered: bool,
    startedAt: timestamptz.orNull,
    refusal: text.orNull,
  },
  text: `
    with key as (
      update inference_key
      set last_used_at = $now,
        last_refused_at = case when $refusal is null then last_refused_at else $now end,
        last_refusal = coalesce($refusal, last_refusal)
      where id = $keyId and ($refusal is not null or coalesce(last_used_at <= $now - interval '1 minute', true))
    ),
    lane as (
      update inference_lane l
      set holds = case when $isAnswered then 0 else holds end,
        held_until = case when not $isAnswered then held_until end,
        held_since = case when not $isAnswered then held_since end,
        held_for = case when not $isAnswered then $refusal end,
        width = case when not $isAnswered then width when ${widthSql('l')} * 2 < $limit then ${widthSql('l')} * 2 end,
        opening_since = case when not $isAnswered then opening_since
          when opening_since is not null and ${widthSql('l')} * 2 < $limit then $now end,
        succeeded_at = case when $isAnswered then $now else succeeded_at end,
        updated_at = $now
      where id = $laneId and (
        ($isAnswered and (width is not null or held_for is not null or coalesce(succeeded_at <= $now - interval '1 minute', true))
          and coalesce($startedAt >= held_until, true))
        or (not $isAnswered and $refusal is not null))
    )
    select (select key_id from inference_call where ${waitingSql} and key_id = $keyId
      order by key_id, lane_id, project_id, due_at limit 1) is not null as has_waiting
  `,
});
