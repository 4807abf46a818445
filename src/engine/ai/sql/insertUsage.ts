import { statement } from '../../db/index.ts';
import type { Usage } from '../usage.ts';

/** A call with the attempt of the step that made it. */
export interface StepUsage extends Usage {
  stepIndex: number;
  attempt: number;
}

interface Params {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
  calls: readonly StepUsage[];
  now: Date | null;
}

/**
 * Keeps what the AI steps of one answer spent. One row per attempt of a step, whatever is repeated; answers the tokens of those
 * that are new.
 */
export const insertUsage = statement<Params, { tokens: number }>({
  name: 'insertUsage',
  writes: true,
  text: `
    insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, model, tokens_in, tokens_out, cost,
      latency_ms, cache_hit, created_at)
    select $1::uuid, u.step_index, u.attempt, $2::uuid, $3, $4, u.model, u.tokens_in, u.tokens_out, u.cost, u.latency_ms,
      u.cache_hit, coalesce($13::timestamptz, now())
    from unnest($5::int[], $6::int[], $7::text[], $8::bigint[], $9::bigint[], $10::float8[], $11::float8[], $12::bool[])
      as u(step_index, attempt, model, tokens_in, tokens_out, cost, latency_ms, cache_hit)
    on conflict (run_id, step_index, attempt) do nothing
    returning (coalesce(tokens_in, 0) + coalesce(tokens_out, 0))::float8 as tokens
  `,
  values: ({ projectId, runId, app, workflow, calls, now }) => [
    runId,
    projectId,
    app,
    workflow,
    calls.map((call) => call.stepIndex),
    calls.map((call) => call.attempt),
    calls.map((call) => call.model ?? null),
    calls.map((call) => call.tokensIn ?? null),
    calls.map((call) => call.tokensOut ?? null),
    calls.map((call) => call.cost ?? null),
    calls.map((call) => call.latencyMs ?? null),
    calls.map((call) => call.cacheHit ?? null),
    now,
  ],
});
