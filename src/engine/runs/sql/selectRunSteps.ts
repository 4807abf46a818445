import { bigint, int, statement, text, uuid } from '../../db/index.ts';
import type { StepStatus } from '../status.ts';
import { startedStepsSql } from './startedStepsSql.ts';

/** A step row without its payloads (2.5). */
export interface ListedStep {
  runId: string;
  index: number;
  attempt: number;
  name: string;
  /** The opcode. */
  op: string;
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
 * approval is kept with the approval, which has a clock of its own. A step that a runner is
 * executing has no row yet, and is read from the run's queue row.
 */
export const selectRunSteps = statement<ListedStep>('selectRunSteps').reads({
  params: {
    runIds: uuid.list,
    afterIndex: int.of(({ after = beforeSteps }: Position) => after.index),
    afterAttempt: int.of(({ after = beforeSteps }: Position) => after.attempt),
    /** Rows of each run, at most; all if absent. */
    limit: bigint.orNull,
    /** Only steps of this name, at this index. */
    name: text.orNull,
    index: int.orNull,
  },
  text: `select run_id, index, attempt, name, op, status,
           case when op = 'Approval' and status = 'waiting' then (
             select expires_at from approval a
             where a.run_id = run_step.run_id and a.step_index = run_step.index and a.status = 'pending'
           ) else run_after end as run_after,
           will_retry, event_name, child_run_id, started_at, ended_at
         from unnest($runIds) as ids (id)
         cross join lateral (
           select * from (
             (select run_id, index, attempt, name, op, status, run_after, will_retry, event_name, child_run_id, started_at, ended_at
             from run_step s
             where s.run_id = ids.id and (s.index, s.attempt) > ($afterIndex, $afterAttempt)
               and ($name::text is null or s.name = $name) and ($index::int is null or s.index = $index)
             order by s.index, s.attempt limit $limit)
             union all
             select w.run_id, s.index, s.attempt, s.name, 'StepRun', 'running', null, false, null, null, s.started_at, null
             from run_work w cross join lateral (${startedStepsSql('w')}) s
             where w.run_id = ids.id and (s.index, s.attempt) > ($afterIndex, $afterAttempt)
               and ($name::text is null or s.name = $name) and ($index::int is null or s.index = $index)
           ) of_run
           order by index, attempt limit $limit
         ) run_step
         order by run_id, index, attempt`,
});
