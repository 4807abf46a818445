import { statement } from '../../db/index.ts';

interface Params {
  id: string;
  projectId: string;
  runId: string;
  stepIndex: number;
  step: string;
  tool: string;
  /** JSON text. */
  args: string;
  risk: string;
  policy: string | undefined;
  summary: string | undefined;
  context: string | undefined;
  escalatesTo: string;
  onTimeout: string;
  timeoutMs: number | undefined;
  now: Date | null;
}

/** Requests a decision. One per step, whatever is repeated. */
export const insertApproval = statement<Params, { id: string }>({
  name: 'insertApproval',
  writes: true,
  text: `
    insert into approval (id, project_id, run_id, step_index, step, tool, args, risk, policy, summary, context,
      escalates_to, on_timeout, status, requested_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7::json, $8, $9, $10, $11, $12, $13, 'pending', coalesce($15::timestamptz, now()),
      coalesce($15::timestamptz, now()) + $14::float8 * interval '1 ms')
    on conflict (run_id, step_index) do nothing
    returning id
  `,
  values: (each) => [
    each.id,
    each.projectId,
    each.runId,
    each.stepIndex,
    each.step,
    each.tool,
    each.args,
    each.risk,
    each.policy ?? null,
    each.summary ?? null,
    each.context ?? null,
    each.escalatesTo,
    each.onTimeout,
    each.timeoutMs ?? null,
    each.now,
  ],
});
