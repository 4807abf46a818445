import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  /** Its present state. */
  openAs: string;
  status: string;
}

/** The end of a run ends its open steps (4.6, 4.10), and withdraws their retries. */
export const openStepOfEndedRun = defineCheck<Row>({
  invariant: 'I7',
  name: 'openStepOfEndedRun',
  text: `
    select run.id as subject, run.project_id, run_step.name, run.status,
      case when run_step.will_retry then 'to be retried' else run_step.status end as open_as
    from run_step
    join run on run.id = run_step.run_id
    where run_step.run_id >= $floorId and run.status in ('succeeded', 'failed', 'cancelled')
      and (run_step.status in ('running', 'waiting') or (run_step.will_retry and not exists (
        select from run_step later
        where later.run_id = run_step.run_id and later.index = run_step.index and later.attempt > run_step.attempt)))
    limit $limit`,
  describe: ({ subject, name, openAs, status }) =>
    `step ${JSON.stringify(name)} of run ${subject} is still ${openAs}, but the run has ended (${status})`,
});
