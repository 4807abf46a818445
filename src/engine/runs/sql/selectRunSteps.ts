import { statement } from '../../db/index.ts';
import type { StepStatus } from '../status.ts';

/** A step row without its payloads (2.5). */
export interface StepRow {
  runId: string;
  index: number;
  attempt: number;
  name: string;
  status: StepStatus;
  runAfter: Date | null;
  willRetry: boolean;
  eventName: string | null;
  childRunId: string | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** Where a step stands in the order of 2.5. */
export interface StepPosition {
  index: number;
  attempt: number;
}

/** Before all steps. */
export const beforeSteps: StepPosition = { index: -1, attempt: 0 };

export interface RunStepsParams {
  runIds: readonly string[];
  /** The first if absent. */
  after?: StepPosition;
  /** Rows of each run, at most; all if absent. */
  limit?: number;
}

/**
 * Step rows of runs, in the order of 2.5. Rides the primary key. The deadline of an undecided approval is kept with the
 * approval, which has a clock of its own.
 */
export const selectRunSteps = statement<RunStepsParams, StepRow>({
  name: 'selectRunSteps',
  writes: false,
  text: `select run_id as "runId", index, attempt, name, status,
           case when op = 'Approval' and status = 'waiting' then (
             select expires_at from approval a
             where a.run_id = run_step.run_id and a.step_index = run_step.index and a.status = 'pending'
           ) else run_after end as "runAfter",
           will_retry as "willRetry",
           event_name as "eventName", child_run_id as "childRunId", started_at as "startedAt", ended_at as "endedAt"
         from unnest($1::uuid[]) as ids (id)
         cross join lateral (
           select * from run_step
           where run_step.run_id = ids.id and (run_step.index, run_step.attempt) > ($2, $3)
           order by run_step.index, run_step.attempt limit $4
         ) run_step
         order by run_id, index, attempt`,
  values: ({ runIds, after = beforeSteps, limit = null }) => [runIds, after.index, after.attempt, limit],
});
