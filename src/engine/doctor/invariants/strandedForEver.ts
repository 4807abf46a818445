import { defineCheck, type FoundRow } from './check.ts';

/** The wait for a runner has a deadline from the start (8). */
export const strandedForEver = defineCheck<FoundRow>({
  invariant: 'I3',
  name: 'strandedForEver',
  text: `
    select run_id as subject, project_id
    from run_work
    where state = 'stranded' and (due_at is null or stranded_at is null)
    limit $limit`,
  describe: ({ subject }) => `run ${subject} waits for a runner without a deadline`,
});
