import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
}

/**
 * A run goes on past an approval only by a decision. A fork carries the decisions of its source.
 */
export const memoWithoutDecision = defineCheck<Row>({
  invariant: 'I13',
  name: 'memoWithoutDecision',
  text: `
    select s.run_id as subject, run.project_id, s.name
    from run_step s
    join run on run.id = s.run_id
    where s.run_id >= $floorId and s.op = 'Approval' and s.status = 'succeeded' and run.replay_of is null
      and not exists (
        select from approval a
        where a.run_id = s.run_id and a.step_index = s.index and a.status in ('approved', 'denied'))
    limit $limit`,
  describe: ({ subject, name }) => `run ${subject} went on past approval ${JSON.stringify(name)}, which nobody decided`,
});
