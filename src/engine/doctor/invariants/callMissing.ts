import { defineCheck, type FoundRow } from './check.ts';

/** A step that waits for a model has its call. Otherwise nobody would ever answer it. */
export const callMissing = defineCheck<FoundRow & { name: string }>({
  invariant: 'I20',
  name: 'callMissing',
  text: `
    select run_work.run_id as subject, run_work.project_id, s.name
    from run_work
    join run_step s on s.run_id = run_work.run_id and s.op = 'Infer' and s.status = 'waiting'
    where not exists (
      select from inference_call c where c.run_id = s.run_id and c.step_index = s.index and c.attempt = s.attempt)
    limit $limit`,
  describe: ({ subject, name }) => `step ${JSON.stringify(name)} of run ${subject} waits for a model without a call`,
});
