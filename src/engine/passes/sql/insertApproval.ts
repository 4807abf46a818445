import { float8, instant, int, json, statement, text, uuid } from '../../db/index.ts';

/** Requests a decision, once for each step. */
export const insertApproval = statement<{ id: string }>('insertApproval').writes({
  params: {
    id: uuid,
    projectId: uuid,
    runId: uuid,
    stepIndex: int,
    step: text,
    tool: text,
    /** JSON text. */
    args: json,
    risk: text,
    policy: text.orNull,
    summary: text.orNull,
    context: text.orNull,
    escalatesTo: text,
    onTimeout: text,
    timeoutMs: float8.orNull,
    now: instant,
  },
  text: `
    insert into approval (id, project_id, run_id, step_index, step, tool, args, risk, policy, summary, context,
      escalates_to, on_timeout, status, requested_at, expires_at)
    values ($id, $projectId, $runId, $stepIndex, $step, $tool, $args, $risk, $policy, $summary, $context, $escalatesTo, $onTimeout, 'pending', $now,
      $now + $timeoutMs * interval '1 ms')
    on conflict (run_id, step_index) do nothing
    returning id
  `,
});
