import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  status: string | null;
  state: string;
}

/** Whoever ends a run takes it out of the queue in the same transaction. */
export const workOfEndedRun = defineCheck<Row>({
  invariant: 'I3',
  name: 'workOfEndedRun',
  text: `
    select run_work.run_id as subject, run_work.project_id, run.status, run_work.state
    from run_work
    left join run on run.id = run_work.run_id
    where run.id is null or run.status in ('succeeded', 'failed', 'cancelled')
    limit $limit`,
  describe: ({ subject, status, state }) =>
    status === null
      ? `run ${subject} is in the queue (${state}) and does not exist`
      : `run ${subject} has ${status} and is still in the queue (${state})`,
});
