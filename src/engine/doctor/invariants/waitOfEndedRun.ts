import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  eventName: string;
  stepIndex: number;
}

/**
 * A wait ends with its step. Otherwise events would match it, and count runs that they cannot wake.
 */
export const waitOfEndedRun = defineCheck<Row>({
  invariant: 'I9',
  name: 'waitOfEndedRun',
  text: `
    select run_wait.run_id as subject, run_wait.project_id, run_wait.event_name, run_wait.step_index
    from run_wait
    where not exists (select from run_work where run_work.run_id = run_wait.run_id)
      or not exists (
        select from run_step
        where run_step.run_id = run_wait.run_id and run_step.index = run_wait.step_index and run_step.status = 'waiting')
    limit $limit`,
  describe: ({ subject, eventName, stepIndex }) =>
    `run ${subject} still waits for ${JSON.stringify(eventName)}, but its step ${stepIndex} has ended`,
});
