import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  step: string;
  status: string;
}

/**
 * Whoever decides also hands the decision to the run, at once. The memo begins with its status,
 * which is read as text: it may hold characters that PostgreSQL cannot take out of JSON.
 */
export const decisionWithoutMemo = defineCheck<Row>({
  invariant: 'I13',
  name: 'decisionWithoutMemo',
  text: `
    select a.run_id as subject, a.project_id, a.step, a.status
    from approval a
    where a.id >= $floorId and a.status in ('approved', 'denied')
      and not exists (
        select from run_step s
        where s.run_id = a.run_id and s.index = a.step_index and s.status = 'succeeded'
          and starts_with(s.output::text, '{"status":"' || a.status || '",'))
    limit $limit`,
  describe: ({ subject, step, status }) =>
    `approval ${JSON.stringify(step)} of run ${subject} is ${status}, but the run does not know`,
});
