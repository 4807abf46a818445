import { defineCheck, type FoundRow } from '../check.ts';

interface Row extends FoundRow {
  name: string;
  step_status: string;
  status: string;
}

/** Whoever ends a run ends what is open of it (4.6, 4.10). */
export const openStepOfEndedRun = defineCheck<Row>({
  invariant: 'I7',
  name: 'openStepOfEndedRun',
  text: `
    select run.id as subject, run.project_id, run_step.name, run_step.status as step_status, run.status
    from run_step
    join run on run.id = run_step.run_id
    where run_step.run_id >= $2::uuid and run_step.status in ('running', 'waiting')
      and run.status in ('succeeded', 'failed', 'cancelled')
    limit $1`,
  values: ({ floorId }) => [floorId],
  describe: ({ subject, name, step_status, status }) =>
    `step ${JSON.stringify(name)} of run ${subject} is still ${step_status}, though the run has ${status}`,
});
