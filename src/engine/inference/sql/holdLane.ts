import { float8, instant, statement, text, timestamptz, uuid } from '../../db/index.ts';

/** The longest hold that a provider may ask for, and the longest without its word. */
const maxAskedMs = 600_000;
const maxBackOffMs = 60_000;

/**
 * Holds a lane. The refusals of calls that were in flight together are one hold: only a send that
 * began after the last hold doubles the time. Afterwards one call probes (`width`).
 */
export const holdLane = statement<{ heldUntil: Date }>('holdLane').writes({
  params: {
    now: instant,
    laneId: uuid,
    /** Null: 1 s, doubled by each hold since the last success, up to 60 s. */
    forMs: float8.orNull,
    startedAt: timestamptz.orNull,
    reason: text,
  },
  text: `
    update inference_lane l
    set holds = n.holds, width = 1, opening_since = null, held_for = $reason, held_since = coalesce(l.held_since, $now), updated_at = $now,
      held_until = greatest(coalesce(l.held_until, '-infinity'), $now + interval '1 ms' * least(${maxAskedMs},
        coalesce($forMs, least(1000 * 2 ^ least(n.holds - 1, 10), ${maxBackOffMs}))))
    from (
      select id, holds + (holds = 0 or coalesce($startedAt >= held_until, true))::int as holds
      from inference_lane where id = $laneId for update
    ) n
    where l.id = n.id
    returning l.held_until
  `,
});
