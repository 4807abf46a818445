import { statement } from '../../db/index.ts';
import type { PassCommit, StepRow } from '../commit.ts';
import { stepPayload } from '../framePayload.ts';
import type { Pass } from '../pass.ts';
import type { CommittedRow } from './commitPasses.ts';

export interface StepCommit {
  pass: Pass;
  step: StepRow;
}

/** The step of a plain commit that settles one, and whose run goes on. */
export function soleStep({ pass, next, steps }: PassCommit): StepCommit | undefined {
  const [step, ...others] = steps;
  return next.kind === 'keep' && step && others.length === 0 ? { pass, step } : undefined;
}

/**
 * What `commitPlain` does, for the one commit of a run that is alone: a step after another waits for this and nothing else.
 * The update is the fence; whatever else is written comes of the row that it found. Scalars and few nodes, because starting
 * the executor costs more here than the rows do.
 */
export const commitStep = statement<StepCommit & { now: Date | null }, CommittedRow>({
  name: 'commitStep',
  writes: true,
  text: `
    with held as (
      update run_work set seq = seq + 1, claim_no = claim_no + 1, transport_failures = 0
      where run_id = $2::uuid and lease_id = $3::uuid and claim_no = $4::int and state = 'leased' and not pausing
      returning run_id, seq, wakes, coalesce($1::timestamptz, clock_timestamp()) as settled_at
    ),
    step as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, will_retry,
        started_at, ended_at)
      select run_id, $5::int, $6::int, $7::text, $8::text, $9::text, $10::text, $11::json, $12::json, $13::json, $14::json,
        $15::json, false, settled_at - $16::float8 * interval '1 ms', settled_at
      from held
      on conflict (run_id, index, attempt) do nothing
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'step_status', settled_at, $17::json from held
    )
    select 0 as ord, true as kept, false as paused, wakes, seq, 1 as frames, null::uuid[] as withdrawn,
      coalesce($1::timestamptz, now()) as now, settled_at::timestamptz(3) as dated
    from held
  `,
  values: ({ pass, step, now }) => [
    now,
    pass.runId,
    pass.dispatcherId,
    pass.claimNo,
    step.index,
    step.attempt,
    step.stepId,
    step.name,
    step.op,
    step.status,
    step.input ?? null,
    step.output ?? null,
    step.error ?? null,
    step.ai ?? null,
    step.usage ?? null,
    step.elapsedMs,
    stepPayload(step),
  ],
});
