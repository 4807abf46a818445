import { statement } from '../../db/statement.ts';
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

/**
 * All step rows of runs, in the order of 2.5. Rides the primary key. The deadline of an undecided approval is kept with the
 * approval, which has a clock of its own.
 */
export const selectRunSteps = statement<{ runIds: readonly string[] }, StepRow>({
  name: 'selectRunSteps',
  writes: false,
  text: `select run_id as "runId", index, attempt, name, status,
           case when op = 'Approval' and status = 'waiting' then (
             select expires_at from approval a
             where a.run_id = run_step.run_id and a.step_index = run_step.index and a.status = 'pending'
           ) else run_after end as "runAfter",
           will_retry as "willRetry",
           event_name as "eventName", child_run_id as "childRunId", started_at as "startedAt", ended_at as "endedAt"
         from run_step where run_id = any($1::uuid[]) order by run_id, index, attempt`,
  values: ({ runIds }) => [runIds],
});
