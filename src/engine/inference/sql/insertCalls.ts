import { bool, bytea, float8, instant, int, rowset, statement, text, uuid } from '../../db/index.ts';
import { keyIdSql, laneIdSql, ownerSql } from './keySql.ts';

/**
 * Enqueues the model calls of one answer, in the transaction that records their steps and has
 * locked the run. A call of a run that is about to pause is paused from the beginning.
 *
 * A further attempt keeps the idempotency key of a last send whose end is unknown. An answer before
 * that send was asked for again, by another request than this one.
 */
export const insertCalls = statement<never>('insertCalls').writes({
  params: {
    now: instant,
    projectId: uuid,
    runId: uuid,
    deadlineMs: float8,
    calls: rowset({
      stepIndex: int,
      attempt: int,
      provider: text,
      model: text,
      request: bytea,
      requestBytes: int,
      maxTokens: int.orNull,
      looksUp: bool,
      idempotencyKey: uuid,
    }),
  },
  text: `
    insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
      max_tokens, looks_up, due_at, deadline_at, paused_at, idempotency_key, created_at)
    select $runId, c.step_index, c.attempt, $projectId, ${keyIdSql('o.owner', 'c.provider')},
      ${laneIdSql('o.owner', 'c.provider', 'c.model')}, c.provider, c.model, c.request, c.request_bytes, c.max_tokens, c.looks_up,
      $now, $now + $deadlineMs * interval '1 ms',
      (select case when pausing then $now end from run_work where run_id = $runId),
      coalesce(repeated.idempotency_key, c.idempotency_key), $now
    from $calls as c
    left join lateral (
      select last.idempotency_key from (
        select attempt, outcome, idempotency_key from inference_send
        where run_id = $runId and step_index = c.step_index
        order by attempt desc, number desc limit 1
      ) last
      where last.outcome = 'unknown' and not exists (
        select from inference_send s
        where s.run_id = $runId and s.step_index = c.step_index and s.attempt = last.attempt and s.outcome = 'answered')
    ) repeated on true
    cross join lateral (select ${ownerSql('$projectId', 'c.provider')} as owner) o
  `,
});
