import { float8, instant, int, json, statement, text, timestamptz } from '../../db/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';
import { stepPayload, waitingPayloadSql, withUntilSql } from '../../timeline/index.ts';
import { type PassCommit, statusOf } from '../commit.ts';
import { parkedFor } from '../parkedFor.ts';
import { fence, stepColumns } from './commitColumns.ts';
import type { CommittedRow } from './commitPasses.ts';
import { delayOf, instantOf } from './commitRows.ts';
import type { StepCommit } from './commitStep.ts';

export interface ParkedCommit extends StepCommit {
  commit: PassCommit;
}

/**
 * The step of a commit that parks its run for this step alone: a sleep, or a call of a model.
 * Undefined: the commit is another one.
 */
export function soleParked(commit: PassCommit): ParkedCommit | undefined {
  const { pass, next, steps, waits, logs, attempt } = commit;
  const [step, ...others] = steps;
  if (commit.hasEndpoints || next.kind !== 'park' || !step || others.length > 0) return undefined;
  if (waits.length > 0 || logs.length > 0 || attempt !== pass.attempt) return undefined;
  if (step.status !== 'waiting' || step.eventName !== undefined || step.childRunId !== undefined) return undefined;
  if (commit.unanswered > 0 || commit.repeats > 0 || pass.memo.hasOpen) return undefined;
  return { commit, pass, step };
}

/** SQL: when the step goes on by itself; null without a time. */
const dueSql = "coalesce($runAt, $now + $runInMs * interval '1 ms')";

/**
 * The same as `commitPasses`, for the one commit of a lone run that sleeps or waits for a model.
 * The update is the fence; all other writes come from its row. It skips runs to be paused, runs
 * that changed since their memo was read, runs with endpoints to tell, and lost leases:
 * `commitPasses` decides about them.
 */
export const commitParked = statement<CommittedRow>('commitParked').writes({
  params: {
    now: instant,
    ...fence,
    ...stepColumns,
    wakes: int.of(({ pass }: ParkedCommit) => pass.wakes),
    payload: json.of(({ step }: ParkedCommit) => stepPayload(step)),
    runAt: timestamptz.orNull.of(({ step }: ParkedCommit) => instantOf(step.runAfter)),
    runInMs: float8.orNull.of(({ step }: ParkedCommit) => delayOf(step.runAfter)),
    runStatus: text.orNull.of(({ commit }: ParkedCommit) => statusOf(commit)),
    waitingFor: json.orNull.of(({ commit }: ParkedCommit) => parkedFor(commit)?.text),
  },
  text: `
    with held as (
      update run_work set seq = seq + 2, claim_no = claim_no + 1, state = 'parked', lease_id = null, due_at = ${dueSql}, retry_at = null,
        resume_state = null,
        waiting_for = case when ${dueSql} is null then $waitingFor else ${withUntilSql('$waitingFor', dueSql)} end,
        waiting_claim_no = case when $waitingFor is not null then claim_no + 1 end,
        unanswered = 0, repeats = 0, transport_failures = 0
      where run_id = $runId and lease_id = $leaseId and claim_no = $claimNo and state = 'leased' and not pausing
        and wakes = $wakes and not ${hasEndpointsSql('run_work.project_id')}
      returning run_id, seq, wakes, waiting_for, $clock as parked_at
    ),
    step as (
      insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, usage, run_after,
        will_retry, started_at, ended_at)
      select run_id, $index, $attempt, $stepId, $name, $op, $status, $input, $output, $error, $ai, $usage, ${dueSql}, false,
        $now - $elapsedMs * interval '1 ms', null
      from held
      on conflict (run_id, index, attempt) do nothing
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq - 1, 'step_status', parked_at, $payload from held
      union all
      select run_id, seq, 'run_status', parked_at, ${waitingPayloadSql('$runStatus', 'waiting_for')} from held
    ),
    shown as (
      update run r set status = $runStatus from held where r.id = held.run_id
    )
    select 0 as ord, false as kept, false as paused, wakes, seq, 2 as frames, null::uuid[] as withdrawn,
      $now as now, $now::timestamptz(3) as delays_from, parked_at::timestamptz(3) as dated
    from held
  `,
});
