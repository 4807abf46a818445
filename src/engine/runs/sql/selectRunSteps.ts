import { bigint, int, statement, uuid } from '../../db/index.ts';
import type { StepStatus } from '../status.ts';

/** A step row without its payloads (2.5). */
export interface ListedStep {
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

/** The position of a step in the order of 2.5. */
export interface StepPosition {
  index: number;
  attempt: number;
}

/** Before all steps. */
export const beforeSteps: StepPosition = { index: -1, attempt: 0 };

interface Position {
  /** The first if absent. */
  after?: StepPosition;
}

/**
 * Step rows of runs, in the order of 2.5. Rides the primary key. The deadline of an undecided
 * approval is kept with the approval, which has a clock of its own.
 */
export const selectRunSteps = statement<ListedStep>('selectRunSteps').reads({
  params: {
    runIds: uuid.list,
    afterIndex: int.of(({ after = beforeSteps }: Position) => after.index),
    afterAttempt: int.of(({ after = beforeSteps }: Position) => after.attempt),
    /** Rows of each run, at most; all if absent. */
    limit: bigint.orNull,
  },
  text: `select run_id, index, attempt, name, status,
           case when op = 'Approval' and status = 'waiting' then (
             select expires_at from approval a
             where a.run_id = run_step.run_id and a.step_index = run_step.index and a.status = 'pending'
           ) else run_after end as run_after,
           will_retry, event_name, child_run_id, started_at, ended_at
         from unnest($runIds) as ids (id)
         cross join lateral (
           select * from run_step
           where run_step.run_id = ids.id and (run_step.index, run_step.attempt) > ($afterIndex, $afterAttempt)
           order by run_step.index, run_step.attempt limit $limit
         ) run_step
         order by run_id, index, attempt`,
});
