import { defineCheck, type FoundRow } from './check.ts';

/** The wait for a runner is bounded (8): it has an end from the start. */
export const strandedForEver = defineCheck<FoundRow>({
  invariant: 'I3',
  name: 'strandedForEver',
  text: `
    select run_id as subject, project_id
    from run_work
    where state = 'stranded' and (due_at is null or stranded_at is null)
    limit $limit`,
  describe: ({ subject }) => `run ${subject} waits for a runner, and would never give up`,
});
