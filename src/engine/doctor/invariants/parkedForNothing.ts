import { defineCheck, type FoundRow } from './check.ts';

/**
 * A parked run waits for a time, an event, a child run, a decision or an answer. Otherwise it would
 * stay parked for ever.
 */
export const parkedForNothing = defineCheck<FoundRow>({
  invariant: 'I3',
  name: 'parkedForNothing',
  text: `
    select run_work.run_id as subject, run_work.project_id
    from run_work
    where run_work.state = 'parked' and run_work.due_at is null
      and not exists (select from run_wait where run_wait.run_id = run_work.run_id)
      and not exists (
        select from approval
        where approval.run_id = run_work.run_id and approval.status in ('pending', 'escalated'))
      and not exists (
        select from run_step
        where run_step.run_id = run_work.run_id and run_step.status = 'waiting'
          and (exists (
              select from inference_call call where call.run_id = run_step.run_id and call.step_index = run_step.index)
            or exists (select from run_work child where child.run_id = run_step.child_run_id)))
    limit $limit`,
  describe: ({ subject }) => `run ${subject} is parked, but nothing can wake it`,
});
