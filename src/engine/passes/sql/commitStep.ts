import { instant, json, statement } from '../../db/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';
import { stepPayload } from '../../timeline/index.ts';
import type { PassCommit, StepRow } from '../commit.ts';
import type { Pass } from '../pass.ts';
import { fence, stepColumns } from './commitColumns.ts';
import type { CommittedRow } from './commitPasses.ts';

export interface StepCommit {
  pass: Pass;
  step: StepRow;
}

/** The step of a plain commit that settles only this step, of a run that continues. */
export function soleStep({ pass, next, steps }: PassCommit): StepCommit | undefined {
  const [step, ...others] = steps;
  return next.kind === 'keep' && step && others.length === 0 ? { pass, step } : undefined;
}

/**
 * The same as `commitPlain`, for the one commit of a lone run, which waits for it. The update is
 * the fence; all other writes come from its row. The statement has scalars and few nodes, because
 * starting the executor costs more here than the rows do.
 */
export const commitStep = statement<CommittedRow>('commitStep').writes({
  params: {
    now: instant,
    ...fence,
    ...stepColumns,
    payload: json.of(({ step }: StepCommit) => stepPayload(step)),
  },
  text: `
    with held as (
      update run_work set seq = seq + 1, claim_no = claim_no + 1, unanswered = 0, repeats = 0,
        transport_failures = 0
      where run_id = $runId and lease_id = $leaseId and claim_no = $claimNo and state = 'leased' and not pausing
        and not ${hasEndpointsSql('run_work.project_id')}
      returning run_id, seq, wakes, $clock as settled_at
    ),
    step as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, will_retry,
        started_at, ended_at)
      select run_id, $index, $attempt, $stepId, $name, $op, $status, $input, $output, $error, $ai, $usage, false,
        settled_at - $elapsedMs * interval '1 ms', settled_at
      from held
      on conflict (run_id, index, attempt) do nothing
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'step_status', settled_at, $payload from held
    )
    select 0 as ord, true as kept, false as paused, wakes, seq, 1 as frames, null::uuid[] as withdrawn,
      $now as now, settled_at::timestamptz(3) as dated
    from held
  `,
});
