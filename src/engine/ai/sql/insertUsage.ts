import { bigint, bool, float8, instant, int, rowset, statement, text, uuid } from '../../db/index.ts';

/**
 * Stores model calls: one row per attempt of a step, or per send of an offloaded call, also if
 * repeated. Returns the tokens of new rows.
 */
export const insertUsage = statement<{ tokens: number }>('insertUsage').writes({
  params: {
    now: instant,
    projectId: uuid,
    runId: uuid,
    app: text,
    workflow: text,
    calls: rowset({
      stepIndex: int,
      attempt: int,
      send: int,
      model: text.orNull,
      tokensIn: bigint.orNull,
      tokensOut: bigint.orNull,
      cost: float8.orNull,
      latencyMs: float8.orNull,
      cacheHit: bool.orNull,
      unknown: bool,
    }),
  },
  text: `
    insert into ai_usage (run_id, step_index, attempt, send, project_id, app, workflow, model, tokens_in, tokens_out, cost,
      latency_ms, cache_hit, unknown, created_at)
    select $runId, u.step_index, u.attempt, u.send, $projectId, $app, $workflow, u.model, u.tokens_in, u.tokens_out, u.cost, u.latency_ms,
      u.cache_hit, u.unknown, $now
    from $calls as u
    on conflict (run_id, step_index, attempt, send) do nothing
    returning (coalesce(tokens_in, 0) + coalesce(tokens_out, 0))::float8 as tokens
  `,
});
