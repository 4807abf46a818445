import { statement, uuid } from '../../db/index.ts';
import type { StepStatus } from '../../runs/index.ts';
import { isRetryWithdrawnSql } from './endStepsSql.ts';

/** The latest attempt of a step, as a memo needs it. Texts are JSON. */
export interface SavedStep {
  runId: string;
  stepId: string;
  index: number;
  attempt: number;
  name: string;
  op: string;
  status: StepStatus;
  output: string | null;
  error: string | null;
  willRetry: boolean;
  runAfter: Date | null;
}

/**
 * The latest attempt of each step of the runs, in the order in which they were settled. A handler
 * that races steps must see the same winner in every pass. A run may have ended since its claim,
 * which withdrew the retries of its steps. Such a failure counts as retried, so no handler sees it
 * as final.
 */
export const loadMemos = statement<SavedStep>('loadMemos').reads({
  params: { runIds: uuid.list },
  text: `
    select run_id, step_id, index, attempt, name, op, status, output, error,
      will_retry or ${isRetryWithdrawnSql} as will_retry, run_after
    from (
      select distinct on (run_id, index) * from run_step where run_id = any($runIds)
      order by run_id, index, attempt desc
    ) latest
    order by run_id, ended_at nulls last, index
  `,
});
