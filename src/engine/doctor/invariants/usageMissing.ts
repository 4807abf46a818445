import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  attempt: number;
}

/**
 * The reported spend of an AI step is counted. Steps copied into a fork are older than the fork,
 * and were counted in the original run.
 */
export const usageMissing = defineCheck<Row>({
  invariant: 'I18',
  name: 'usageMissing',
  text: `
    select run.id as subject, run.project_id, reported.name, reported.attempt
    from (
      select s.run_id, s.name, s.attempt, s.ended_at from run_step s
      where s.run_id >= $floorId and json_typeof(s.usage) = 'object' and not exists (
        select from ai_usage u where u.run_id = s.run_id and u.step_index = s.index and u.attempt = s.attempt)
    ) reported
    join run on run.id = reported.run_id
    where run.replay_of is null or reported.ended_at > run.created_at
    limit $limit`,
  describe: ({ subject, name, attempt }) =>
    `the AI usage of attempt ${attempt} of step ${JSON.stringify(name)} of run ${subject} was not counted`,
});
