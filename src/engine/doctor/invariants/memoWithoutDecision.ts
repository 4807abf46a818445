import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
}

/**
 * A run continues past an approval only by a decision. Forks are omitted, because they copy the
 * decisions of their source.
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
  describe: ({ subject, name }) => `run ${subject} continued past approval ${JSON.stringify(name)} without a decision`,
});
