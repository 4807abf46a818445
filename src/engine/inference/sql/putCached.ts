import { bytea, instant, int, json, statement, uuid } from '../../db/index.ts';

/** Keeps an answer. It replaces an older one. */
export const putCached = statement<never>('putCached').writes({
  params: { now: instant, projectId: uuid, key: bytea, answer: json, bytes: int },
  text: `
    insert into inference_cache (project_id, key, answer, bytes, created_at, used_at)
    values ($projectId, $key, $answer, $bytes, $now, $now)
    on conflict (project_id, key) do update
    set answer = excluded.answer, bytes = excluded.bytes, created_at = excluded.created_at, used_at = excluded.used_at
  `,
});
