import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  step: string;
  status: string;
}

/** An open approval has a waiting step in an unfinished run. */
export const approvalOfNothing = defineCheck<Row>({
  invariant: 'I13',
  name: 'approvalOfNothing',
  text: `
    select a.run_id as subject, a.project_id, a.step, a.status
    from approval a
    where a.status in ('pending', 'escalated')
      and not exists (
        select from run_work w
        join run_step s on s.run_id = w.run_id
        where w.run_id = a.run_id and s.index = a.step_index and s.status = 'waiting')
    limit $limit`,
  describe: ({ subject, step, status }) =>
    `approval ${JSON.stringify(step)} of run ${subject} is ${status}, but no step waits for it`,
});
