import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
}

/** A step that waits for a decision has an open approval. */
export const approvalMissing = defineCheck<Row>({
  invariant: 'I13',
  name: 'approvalMissing',
  text: `
    select run_work.run_id as subject, run_work.project_id, run_step.name
    from run_work
    join run_step on run_step.run_id = run_work.run_id
    where run_step.status = 'waiting' and run_step.op = 'Approval'
      and not exists (
        select from approval a
        where a.run_id = run_step.run_id and a.step_index = run_step.index and a.status in ('pending', 'escalated'))
    limit $limit`,
  describe: ({ subject, name }) =>
    `step ${JSON.stringify(name)} of run ${subject} waits for a decision, but has no open approval`,
});
