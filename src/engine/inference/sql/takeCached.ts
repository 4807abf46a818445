import { bytea, float8, instant, statement, uuid } from '../../db/index.ts';

/** Reads a kept answer, and notes that it was used. */
export const takeCached = statement<{ answer: string }>('takeCached').writes({
  params: { now: instant, projectId: uuid, key: bytea, ttlMs: float8 },
  text: `
    update inference_cache set used_at = $now
    where project_id = $projectId and key = $key and created_at > $now - $ttlMs * interval '1 ms'
    returning answer::text as answer
  `,
});
