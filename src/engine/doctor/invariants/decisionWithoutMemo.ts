import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  step: string;
  status: string;
}

/**
 * A decision and the memo of its step are written together. The memo's first field is its status.
 * Read as text, because the memo may contain characters that PostgreSQL cannot extract from JSON.
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
    `approval ${JSON.stringify(step)} of run ${subject} is ${status}, but the run does not have the decision`,
});
