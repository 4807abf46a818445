import { defineCheck, type FoundRow } from './check.ts';

/**
 * A model call exists only while its step waits in an unfinished run. The transaction that settles
 * the step or ends the run deletes it, and the sealed prompt with it.
 */
export const callOfNothing = defineCheck<FoundRow & { stepIndex: number }>({
  invariant: 'I20',
  name: 'callOfNothing',
  text: `
    select c.run_id as subject, c.project_id, c.step_index
    from inference_call c
    where not exists (select from run_work where run_work.run_id = c.run_id)
      or not exists (
        select from run_step s
        where s.run_id = c.run_id and s.index = c.step_index and s.attempt = c.attempt and s.op = 'Infer' and s.status = 'waiting')
    limit $limit`,
  describe: ({ subject, stepIndex }) => `run ${subject} has a model call for step ${stepIndex}, which does not wait`,
});
