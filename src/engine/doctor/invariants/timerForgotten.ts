import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
}

/**
 * A parked run wakes at the earliest time of its open steps. If that time has passed, the run may
 * back off until later. Times are kept to the millisecond.
 */
export const timerForgotten = defineCheck<Row>({
  invariant: 'I8',
  name: 'timerForgotten',
  text: `
    select run_work.run_id as subject, run_work.project_id, run_step.name
    from run_work
    join run_step on run_step.run_id = run_work.run_id
    where run_work.state = 'parked'
      and run_step.run_after is not null
      and (run_step.status = 'waiting' or run_step.will_retry)
      and (
        run_work.due_at is null
        or (
          run_step.run_after > $now
          and run_work.due_at > run_step.run_after + interval '2 ms'
        )
      )
      and not exists (
        select from run_step later
        where later.run_id = run_step.run_id and later.index = run_step.index and later.attempt > run_step.attempt)
    limit $limit`,
  describe: ({ subject, name }) => `run ${subject} will wake after step ${JSON.stringify(name)} is due`,
});
